/** Whether the text of a call's arguments says that there are none: models and clients write an empty text, or `null`. */
export function isNoArguments(text: string): boolean {
  return /^\s*(?:null\s*)?$/.test(text);
}
