import type { Instance, Instances } from "./instances";

/** For tests within one process: instances that live until the test says that they are lost. */
export function createTestInstances() {
  const living = new Map<string, Instance>();
  return {
    add(id: string): Pick<Instances, "self" | "list" | "isLiving"> & { serveAt(address: string): void } {
      const self: Instance = {
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
