/** Code of the server for a test's process that has no `/proc`; it is bundled as one, since its parts share a state. */
export { StdioTransport } from "../transport/stdio-transport";
export { createMarker } from "./orphaned-processes";
export { ProcessGroup } from "./process-group";
export { strayProcesses } from "./stray-processes";
