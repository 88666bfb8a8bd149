"""Spark SQL's built-in functions: how many arguments each takes and what comes out.

One line of the table per kind of result. An entry is `name:least-most`, `name:exactly` or
`name:least+`. The second word of a line's head is what the first argument must be: any, number,
text (anything that Spark casts to a string by itself), moment (date or time, or their text), list,
dictionary. Results: a type, `first` (the first argument's type), `common` (what all arguments fit
in), `?` (not known here).
"""

from __future__ import annotations

TABLE: tuple[tuple[str, str, str], ...] = (
    (
        "STRING",
        "text",
        "upper:1 ucase:1 lower:1 lcase:1 initcap:1 trim:1-2 ltrim:1-2 rtrim:1-2 btrim:1-2 "
        "substring:2-3 substr:2-3 substring_index:3 left:2 right:2 regexp_replace:3-4 "
        "regexp_extract:2-3 regexp_substr:2 replace:2-3 translate:3 repeat:2 split_part:3 "
        "soundex:1 get_json_object:2 parse_url:2-3 url_encode:1 url_decode:1 try_url_decode:1 "
        "overlay:3-4 mask:1-5 quote:1 json_object_keys:1 collation:1 validate_utf8:1 "
        "make_valid_utf8:1",
    ),
    (
        "STRING",
        "any",
        "lpad:2-3 rpad:2-3 base64:1 hex:1 md5:1 sha:1 sha1:1 sha2:2 bin:1 chr:1 char:1 conv:3 "
        "format_number:2 format_string:1+ printf:1+ concat_ws:1+ elt:2+ decode:2+ typeof:1 "
        "space:1 to_json:1-2 to_csv:1-2 to_xml:1-2 to_char:2 to_varchar:2 array_join:2-3 "
        "version:0 current_catalog:0 current_database:0 current_schema:0 current_user:0 user:0 "
        "session_user:0 current_timezone:0 uuid:0-1 randstr:1-2 input_file_name:0 "
        "from_unixtime:1-2 schema_of_json:1-2 schema_of_csv:1-2 schema_of_variant:1 "
        "xpath_string:2 string:1",
    ),
    ("STRING", "moment", "date_format:2 dayname:1 monthname:1"),
    (
        "INT",
        "text",
        "length:1 len:1 char_length:1 character_length:1 octet_length:1 bit_length:1 ascii:1 "
        "instr:2 locate:2-3 position:2-3 charindex:2-3 levenshtein:2-3 find_in_set:2 "
        "regexp_count:2 regexp_instr:2-3 json_array_length:1 xpath_int:2",
    ),
    (
        "INT",
        "moment",
        "year:1 quarter:1 month:1 day:1 dayofmonth:1 dayofweek:1 weekday:1 dayofyear:1 "
        "weekofyear:1 hour:1 minute:1 second:1 datediff:2-3 date_diff:2-3 unix_date:1",
    ),
    (
        "INT",
        "any",
        "hash:1+ size:1 cardinality:1 bit_count:1 bit_get:2 getbit:2 spark_partition_id:0 int:1",
    ),
    ("INT", "list", "array_size:1"),
    ("BIGINT", "list", "array_position:2"),
    ("BIGINT", "text", "crc32:1 xpath_long:2"),
    ("BIGINT", "number", "factorial:1 bitmap_bit_position:1 bitmap_bucket_number:1"),
    ("BIGINT", "moment", "unix_seconds:1 unix_millis:1 unix_micros:1 timestampdiff:3"),
    (
        "BIGINT",
        "any",
        "xxhash64:1+ unix_timestamp:0-2 to_unix_timestamp:1-2 monotonically_increasing_id:0 "
        "width_bucket:4 bigint:1 timestamp_diff:3 bitmap_count:1",
    ),
    ("TINYINT", "any", "tinyint:1"),
    ("SMALLINT", "any", "smallint:1"),
    ("FLOAT", "any", "float:1"),
    (
        "DOUBLE",
        "number",
        "sqrt:1 cbrt:1 exp:1 expm1:1 ln:1 log:1-2 log10:1 log2:1 log1p:1 pow:2 power:2 sin:1 "
        "cos:1 tan:1 cot:1 sec:1 csc:1 asin:1 acos:1 atan:1 atan2:2 sinh:1 cosh:1 tanh:1 "
        "asinh:1 acosh:1 atanh:1 degrees:1 radians:1 hypot:2 rint:1 signum:1 sign:1",
    ),
    (
        "DOUBLE",
        "any",
        "e:0 pi:0 rand:0-1 random:0-1 randn:0-1 double:1 nanvl:2 xpath_double:2 xpath_number:2 "
        "jaro_winkler_similarity:2",
    ),
    ("DOUBLE", "moment", "months_between:2-3"),
    (
        "BOOLEAN",
        "text",
        "startswith:2 endswith:2 contains:2 like:2-3 ilike:2-3 rlike:2 regexp:2 regexp_like:2 "
        "luhn_check:1 is_valid_utf8:1 xpath_boolean:2",
    ),
    ("BOOLEAN", "any", "isnull:1 isnotnull:1 equal_null:2 is_variant_null:1 boolean:1"),
    ("BOOLEAN", "number", "isnan:1"),
    ("BOOLEAN", "list", "array_contains:2 arrays_overlap:2 exists:2 forall:2"),
    ("BOOLEAN", "dictionary", "map_contains_key:2"),
    ("DATE", "moment", "date_add:2 date_sub:2 add_months:2 last_day:1 next_day:2 trunc:2"),
    (
        "DATE",
        "any",
        "current_date:0 curdate:0 to_date:1-2 try_to_date:1-2 make_date:3 date_from_unix_date:1 "
        "date:1",
    ),
    (
        "TIMESTAMP",
        "any",
        "current_timestamp:0 now:0 date_trunc:2 to_timestamp:1-2 try_to_timestamp:1-2 "
        "to_timestamp_ltz:1-2 make_timestamp:2-7 make_timestamp_ltz:2-7 timestamp_seconds:1 "
        "timestamp_millis:1 timestamp_micros:1 timestamp:1",
    ),
    ("TIMESTAMP", "moment", "from_utc_timestamp:2 to_utc_timestamp:2"),
    ("TIMESTAMP_NTZ", "any", "localtimestamp:0 to_timestamp_ntz:1-2 make_timestamp_ntz:2-6"),
    (
        "BINARY",
        "any",
        "unhex:1 unbase64:1 encode:2 to_binary:1-2 try_to_binary:1-2 aes_encrypt:2-6 "
        "aes_decrypt:2-5 try_aes_decrypt:2-5 binary:1",
    ),
    ("first", "number", "round:1-2 bround:1-2 positive:1 abs:1 negative:1 uniform:2-3"),
    ("first", "any", "nullif:2 nullifzero:1 zeroifnull:1 reverse:1 bitwise_not:1"),
    (
        "first",
        "list",
        "array_distinct:1 array_sort:1-2 sort_array:1-2 slice:3 array_remove:2 array_compact:1 "
        "shuffle:1-2 filter:2 array_append:2 array_prepend:2 array_insert:3 array_except:2 "
        "array_intersect:2 array_union:2",
    ),
    ("first", "dictionary", "map_filter:2"),
    ("common", "any", "coalesce:1+ ifnull:2 nvl:2 greatest:2+ least:2+"),
    ("ARRAY<STRING>", "text", "split:2-3 regexp_extract_all:2-3 sentences:1-3"),
    ("element", "list", "array_max:1 array_min:1 get:2"),
    (
        "?",
        "list",
        "array_repeat:2 flatten:1 transform:2 aggregate:3-4 reduce:3-4 zip_with:3 "
        "map_from_entries:1",
    ),
    (
        "?",
        "dictionary",
        "map_keys:1 map_values:1 map_entries:1 transform_keys:2 transform_values:2 map_zip_with:3",
    ),
    (
        "?",
        "number",
        "ceil:1-2 ceiling:1-2 floor:1-2 pmod:2 mod:2 shiftleft:2 shiftright:2 shiftrightunsigned:2",
    ),
    (
        "?",
        "any",
        "concat:0+ if:3 iff:3 nvl2:3 array:0+ struct:0+ named_struct:2+ map:0+ "
        "map_from_arrays:2 map_concat:0+ arrays_zip:0+ element_at:2 try_element_at:2 "
        "sequence:2-3 str_to_map:1-3 from_json:2-3 from_csv:2-3 from_xml:2-3 parse_json:1 "
        "try_parse_json:1 variant_get:2-3 try_variant_get:2-3 to_variant_object:1 to_number:2 "
        "try_to_number:2 try_add:2 try_subtract:2 try_multiply:2 try_divide:2 try_mod:2 "
        "date_part:2 datepart:2 dateadd:2-3 timestampadd:3 timestamp_add:3 make_interval:0-7 "
        "try_make_interval:0-7 make_dt_interval:0-4 make_ym_interval:0-2 convert_timezone:2-3 "
        "try_make_timestamp:2-7 try_make_timestamp_ltz:2-7 try_make_timestamp_ntz:2-6 "
        "make_time:3 to_time:1-2 try_to_time:1-2 time_diff:3 time_trunc:2 current_time:0-1 "
        "input_file_block_start:0 input_file_block_length:0 assert_true:1-2 raise_error:1 "
        "java_method:2+ reflect:2+ try_reflect:2+ xpath:2 xpath_float:2 xpath_short:2 "
        "try_parse_url:2-3 try_validate_utf8:1 hll_sketch_estimate:1 hll_union:2-3 decimal:1 "
        "collate:2 hmac:2-3 time_bucket:2-3 to_base32:1 from_base32:1",
    ),
)
