/** Code of the server for a test's process that has no `/proc`; it is bundled as one, since both share a state. */
export { StdioTransport } from "../transport/stdio-transport";
export { strayProcesses } from "./stray-processes";
