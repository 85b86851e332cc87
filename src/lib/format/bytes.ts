const UNITS = ["KiB", "MiB", "GiB", "TiB"] as const;

/** `73 B`, `1.2 MiB`; a dash for null and invalid sizes. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes) || bytes < 0) return "–";
  if (bytes < 1_024) return `${Math.round(bytes)} B`;
  let value = bytes;
  let unit = "B";
  for (const next of UNITS) {
    // Rounding must not produce "1024 KiB".
    if (value < 1_023.5) break;
    value /= 1_024;
    unit = next;
  }
  return `${value < 9.95 ? Number(value.toFixed(1)) : Math.round(value)} ${unit}`;
}
