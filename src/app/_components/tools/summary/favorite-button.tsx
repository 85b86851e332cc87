import { Star } from "lucide-react";
import { IconButton } from "@/app/_ui/button";
import { useFavorites, useSetFavorite } from "./use-favorites";

/** A user's own star on a tool. */
export function FavoriteButton({ toolName, className }: { toolName: string; className?: string }) {
  const isFavorite = useFavorites().has(toolName);
  const setFavorite = useSetFavorite();
  return (
    <IconButton
      label={`${isFavorite ? "Remove" : "Add"} ${toolName} ${isFavorite ? "from" : "to"} favorites`}
      aria-pressed={isFavorite}
      className={className}
      onClick={() => setFavorite(toolName, !isFavorite)}
    >
      <Star size={15} className={isFavorite ? "fill-current text-accent" : "text-faint"} />
    </IconButton>
  );
}
