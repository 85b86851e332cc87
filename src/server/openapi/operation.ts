/** How a tool's arguments become a request. */
export interface ApiOperation {
  /** The tool's name. */
  name: string;
  method: string;
  /** The path of the operation's server, on the origin of the base URL. */
  basePath: string;
  /** The path with `{placeholders}`. */
  path: string;
  /** The query that is part of the path. */
  search?: string;
  parameters: ApiParameter[];
  body: ApiBody | null;
  /** Whether the promised `structuredContent` wraps the response as `result`, since it is not an object. */
  wrap: boolean;
}

export interface ApiParameter {
  /** The name among the arguments. */
  arg: string;
  /** The name in the request. */
  name: string;
  in: "path" | "query" | "header" | "cookie";
  style: string;
  explode: boolean;
  allowReserved?: boolean;
  /** The value is sent as JSON text. */
  json?: boolean;
}

export interface ApiBody {
  kind: "json" | "form" | "multipart" | "text" | "binary";
  /** The media type. */
  type: string;
  /** The argument that is the whole body; null where its properties are arguments of their own. */
  arg: string | null;
  fields: { arg: string; name: string }[] | null;
  /** The properties of a multipart body that are files, or lists of files. */
  files?: string[];
  /** Sent even without an argument. */
  required?: boolean;
  /** The encodings of form and multipart bodies, by property. */
  encoding?: Record<string, { style?: string; explode?: boolean; contentType?: string }>;
}
