// The path that programs outside import.
export * from "./executor/tool-executor";
