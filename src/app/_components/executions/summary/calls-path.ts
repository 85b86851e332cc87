interface PathFilter {
  since: number;
  until?: number;
  status?: string;
  tool?: string;
  sort?: "-duration";
}

/** The list of the calls that a figure counts. Reads of resources and prompts are in no figure. */
export function toCallsPath({ tool, ...filter }: PathFilter): string {
  const asked = { range: "custom", ...filter, ...(tool === undefined ? { kind: "tool" } : { tool }) };
  return `/executions?${new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(value)]))}`;
}

/** The outcomes that count as failed. */
export const FAILED = "failed,timed_out,interrupted";
