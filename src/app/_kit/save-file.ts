/** Hands data to the browser's downloads. It is saved, never opened: an HTML or SVG file would run as this site. */
export function saveFile(name: string, data: Blob): void {
  const url = URL.createObjectURL(data);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the data by the next turn.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
