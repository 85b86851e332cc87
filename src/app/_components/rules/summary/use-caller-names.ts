import { useQuery } from "@tanstack/react-query";
import { trpc } from "@/app/_trpc/client";

/** The names of users who made calls, by their id: rules keep ids, since users choose their names. */
export function useCallerNames(enabled = true): ReadonlyMap<string, string> {
  const { data } = useQuery({ ...trpc.executions.facets.queryOptions(), enabled });
  return new Map((data?.actors ?? []).map(({ id, name }) => [id, name]));
}
