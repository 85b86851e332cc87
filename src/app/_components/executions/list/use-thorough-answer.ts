import { type QueryKey, type UseQueryOptions, useQuery } from "@tanstack/react-query";

/**
 * Shows a quick answer and replaces it with the thorough one, which is requested once where the quick one has not
 * counted all calls. The thorough answer takes up to some seconds, so live events refresh only the quick one.
 */
export function useThoroughAnswer<Data, Failure, Key extends QueryKey>(
  quick: Data | undefined,
  isPartial: boolean,
  options: UseQueryOptions<Data, Failure, Data, Key>,
): Data | undefined {
  const { data } = useQuery({ ...options, enabled: isPartial });
  return isPartial && data !== undefined ? data : quick;
}
