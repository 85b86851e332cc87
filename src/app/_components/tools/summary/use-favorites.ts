import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { guess, useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";

const NONE: ReadonlySet<string> = new Set();

/** The tools that the user gave a star; none until they are read. */
export function useFavorites(): ReadonlySet<string> {
  const { data } = useQuery(trpc.tools.favorites.queryOptions());
  return useMemo(() => (data === undefined ? NONE : new Set(data)), [data]);
}

/** Shows the star at once, and takes it back when it cannot be saved. */
export function useSetFavorite(): (name: string, favorite: boolean) => void {
  const favorites = trpc.tools.favorites.queryKey();
  const { mutate } = useAction(trpc.tools.setFavorite, {
    stale: [favorites],
    failed: "Couldn't save the favorite",
    report: "toast",
    guesses: ({ name, favorite }) => [
      guess(favorites, (names) => {
        const others = names.filter((each) => each !== name);
        return favorite ? [...others, name].sort() : others;
      }),
    ],
  });
  return (name, favorite) => mutate({ name, favorite });
}
