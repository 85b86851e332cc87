"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";

const NONE: ReadonlySet<string> = new Set();

/** The tools that the person gave a star; none until they are read. */
export function useFavorites(): ReadonlySet<string> {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.tools.favorites.queryOptions());
  return useMemo(() => (data === undefined ? NONE : new Set(data)), [data]);
}

/** Shows the star at once, and takes it back when it cannot be saved. */
export function useSetFavorite(): (name: string, favorite: boolean) => void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const toast = useToast();
  const queryKey = trpc.tools.favorites.queryKey();
  const { mutate } = useMutation(
    trpc.tools.setFavorite.mutationOptions({
      onMutate: async ({ name, favorite }) => {
        await queryClient.cancelQueries({ queryKey });
        queryClient.setQueryData(queryKey, (names) => {
          const others = (names ?? []).filter((each) => each !== name);
          return favorite ? [...others, name].sort() : others;
        });
      },
      onError: ({ message }) => toast({ title: `Couldn't save the favorite: ${message}`, tone: "bad" }),
      onSettled: () => queryClient.invalidateQueries({ queryKey }),
    }),
  );
  return (name, favorite) => mutate({ name, favorite });
}
