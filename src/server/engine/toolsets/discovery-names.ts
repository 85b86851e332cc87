export const SEARCH_TOOLS = "search_tools";
export const CALL_TOOL = "call_tool";
