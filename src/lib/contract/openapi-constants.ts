/** What the console sends for a large document: its text in gzip and Base64. */
export const COMPRESSED_DOCUMENT = "data:application/gzip;base64,";

/** The key in `_meta` of an OpenAPI tool's definition (`method`, `path`) and result (`status`, `statusText`, `headers`). */
export const HTTP_META_KEY = "toolroom/http";
