import { useQuery } from "@tanstack/react-query";
import { trpc } from "@/app/_trpc/client";

/** Explains why figures are lower than the calls in lists. */
export function RebuildingNote() {
  return (
    <p role="status" className="text-mute text-xs">
      Statistics are being rebuilt after an upgrade. Figures do not cover all older calls yet.
    </p>
  );
}

/** A notice for pages whose figures do not say themselves that statistics are being rebuilt. */
export function RebuildingStatistics() {
  const { data } = useQuery(trpc.system.info.queryOptions());
  return data?.counts?.rebuilding === true ? <RebuildingNote /> : null;
}
