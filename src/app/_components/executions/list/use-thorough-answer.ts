import { type QueryKey, type UseQueryOptions, useQuery } from "@tanstack/react-query";

/**
 * A quick answer, and in its place the thorough one, which is asked for once where the quick one has not counted all calls. It
 * takes up to some seconds, so live events refresh only the quick one.
 */
export function useThoroughAnswer<Data, Failure, Key extends QueryKey>(
  quick: Data | undefined,
  isPartial: boolean,
  options: UseQueryOptions<Data, Failure, Data, Key>,
): Data | undefined {
  const { data } = useQuery({ ...options, enabled: isPartial });
  return isPartial && data !== undefined ? data : quick;
}
