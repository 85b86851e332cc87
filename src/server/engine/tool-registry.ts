// The path that programs outside import.
export * from "./registry/tool-registry";
