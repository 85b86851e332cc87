export * from "./actor";
export * from "./catalogue-tool";
export * from "./envelope";
export * from "./execution";
export * from "./json";
export * from "./live-event";
export * from "./tool-definition";
