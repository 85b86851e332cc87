/** A keyword of a tool's schema that is not checked as written. The tool can still be called. */
export interface SchemaNote {
  /** JSON pointer of the keyword in the schema. */
  pointer: string;
  keyword: string;
  /** For people: names the keyword, its location and the reason. */
  message: string;
}
