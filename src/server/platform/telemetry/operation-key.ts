/** A key in `_meta` of a request to the gateway: its operation, where only metrics are sent. Not passed on. */
export const OPERATION_KEY = "toolroom/operation";
