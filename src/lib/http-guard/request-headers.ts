/** `Headers` of a request, or the same of `node:http`. */
export interface RequestHeaders {
  get(name: string): string | null;
}

/** @param request of `node:http` */
export function headersOf({ headers }: { headers: Record<string, string | string[] | undefined> }): RequestHeaders {
  return {
    get(name) {
      const value = headers[name];
      return (Array.isArray(value) ? value.join("; ") : value) ?? null;
    },
  };
}
