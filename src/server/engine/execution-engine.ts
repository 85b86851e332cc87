// The path that programs outside import.
export * from "./agent/execution-engine";
