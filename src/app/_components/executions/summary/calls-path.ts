interface PathFilter {
  since: number;
  until?: number;
  status?: string;
  source?: string;
  message?: string;
  tool?: string;
  sort?: "-duration";
}

/** The list of the calls that a figure counts. Reads of resources and prompts are in no figure. */
export function toCallsPath({ tool, ...filter }: PathFilter): string {
  const asked = {
    range: "custom",
    ...Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)),
    ...(tool === undefined ? { kind: "tool" } : { tool }),
  };
  return `/executions?${new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, String(value)]))}`;
}
