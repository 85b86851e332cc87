export { ArgumentsEditor, type ArgumentsEditorProps } from "./arguments-editor";
export type { ArgumentsAction, ArgumentsDispatch } from "./arguments-reducer";
export type { ArgumentsState, BrokenPlace } from "./arguments-state";
export { type ArgumentsEditorHandle, useArgumentsEditor } from "./use-arguments-editor";
export { WillBeSent, type WillBeSentProps } from "./will-be-sent";
