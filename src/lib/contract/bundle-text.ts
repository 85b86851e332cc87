/** Whether a text begins as the bundle of an execution does. It is not read whole, and this file comes to the browser without zod. */
export function isBundleText(text: string): boolean {
  return /^\uFEFF?\s*\{\s*"toolroomExecution"\s*:/.test(text.slice(0, 200));
}
