export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The variables as references in settings find them. On Windows names have no case, and `HOME`, which is not set there, is the
 * user's folder; a list of all variables stays as it was.
 */
export function toSystemVariables(variables: Variables, platform: NodeJS.Platform): Variables {
  if (platform !== "win32") return variables;
  const spellings = new Map(Object.keys(variables).map((name) => [name.toUpperCase(), name]));
  const userFolder = spellings.get("USERPROFILE");
  if (!spellings.has("HOME") && userFolder !== undefined) spellings.set("HOME", userFolder);
  const find = (target: Variables, key: string | symbol): string | symbol =>
    typeof key === "symbol" || Object.hasOwn(target, key) ? key : (spellings.get(key.toUpperCase()) ?? key);
  return new Proxy(variables, {
    get: (target, key) => Reflect.get(target, find(target, key)) as unknown,
    has: (target, key) => Reflect.has(target, find(target, key)),
    getOwnPropertyDescriptor: (target, key) => {
      const found = Reflect.getOwnPropertyDescriptor(target, find(target, key));
      return found && { ...found, configurable: true };
    },
  });
}
