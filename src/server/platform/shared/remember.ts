/**
 * Derives something once from each object. Lists that are kept until they change, such as that of the catalog, are the same object for
 * many requests, and what follows from them is too much to be derived for each.
 * @param derive must depend on nothing else
 */
export function remember<Source extends object, Derived>(
  derive: (source: Source) => Derived,
): (source: Source) => Derived {
  const known = new WeakMap<Source, { derived: Derived }>();
  return (source) => {
    const found = known.get(source);
    if (found !== undefined) return found.derived;
    const derived = derive(source);
    known.set(source, { derived });
    return derived;
  };
}
