export * from "./bytes";
export * from "./count";
export * from "./duration";
export * from "./relative-time";
export * from "./time-steps";
export * from "./time-zone";
