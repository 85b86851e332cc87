import type { Copies, Copy } from "./copies";

/** For tests within one process: copies that live until the test says that they are lost. */
export function createTestCopies() {
  const living = new Map<string, Copy>();
  return {
    add(id: string): Pick<Copies, "self" | "list" | "isLiving"> & { serveAt(address: string): void } {
      const self: Copy = {
        id,
        name: id,
        address: null,
        version: "0",
        startedAt: living.size,
        isDraining: false,
      };
      living.set(id, self);
      return {
        self,
        list: () => [self, ...[...living.values()].filter((copy) => copy !== self)],
        isLiving: (other) => living.has(other),
        serveAt(address) {
          self.address = address;
        },
      };
    },
    lose: (id: string) => void living.delete(id),
  };
}
