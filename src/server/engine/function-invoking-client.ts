// The path that programs outside import.
export * from "./agent/function-invoking-client";
