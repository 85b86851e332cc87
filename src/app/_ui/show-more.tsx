import { formatCount } from "@/lib/format";
import { Button } from "./button";

/** Shown below a list that is not shown whole; renders nothing when it is. */
export function ShowMore({ rest, onMore }: { rest: number; onMore: () => void }) {
  if (rest <= 0) return null;
  return (
    <div className="flex justify-center p-3">
      <Button onClick={onMore}>Show more ({formatCount(rest)} left)</Button>
    </div>
  );
}
