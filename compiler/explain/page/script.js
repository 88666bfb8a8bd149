"use strict";
// Choosing an operator, a query, a size. Without scripts the links alone choose operators.
(() => {
  const picture = document.querySelector("svg");
  const width = picture.viewBox.baseVal.width;
  let scale = 1;

  const zoom = (factor) => {
    const fitting = Math.min(1, (document.querySelector("#plan").clientWidth - 8) / width);
    scale = factor === 0 ? fitting : Math.min(4, Math.max(0.2, scale * factor));
    picture.setAttribute("width", String(Math.round(width * scale)));
    picture.removeAttribute("height");
    document.body.dataset.zoom = scale.toFixed(2);
  };

  const choose = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    for (const node of document.querySelectorAll("a.node")) {
      node.setAttribute("aria-current", String(node.dataset.id === id));
    }
    for (const line of document.querySelectorAll("#program span")) {
      line.classList.toggle("here", line.dataset.id === id);
    }
    document.querySelector("#program .here")?.scrollIntoView({ block: "nearest" });
  };

  const only = (query) => {
    for (const part of document.querySelectorAll("svg [data-queries]")) {
      const queries = JSON.parse(part.dataset.queries);
      part.classList.toggle("other", query !== "" && !queries.includes(query));
    }
    for (const tab of document.querySelectorAll("button[data-query]")) {
      tab.setAttribute("aria-pressed", String(tab.dataset.query === query));
    }
  };

  for (const tab of document.querySelectorAll("button[data-query]")) {
    tab.addEventListener("click", () => only(tab.dataset.query));
  }
  for (const button of document.querySelectorAll("button[data-zoom]")) {
    button.addEventListener("click", () => zoom(Number(button.dataset.zoom)));
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const factor = { "+": 1.25, "=": 1.25, "-": 0.8, "0": 0 }[event.key];
    if (factor !== undefined) zoom(factor);
  });
  document.querySelector("#plan").addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    },
    { passive: false },
  );
  window.addEventListener("hashchange", choose);
  only("");
  zoom(0);
  choose();
})();
