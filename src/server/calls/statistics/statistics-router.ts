import {
  statisticsGroupsSchema,
  statisticsRangeSchema,
  statisticsSeriesSchema,
} from "../../../lib/contract/statistics";
import { procedure, router } from "../../platform/api/trpc";

export const statisticsRouter = router({
  totals: procedure.input(statisticsRangeSchema).query(({ ctx, input }) => ctx.services.statistics.totals(input)),
  series: procedure.input(statisticsSeriesSchema).query(({ ctx, input }) => ctx.services.statistics.series(input)),
  groups: procedure.input(statisticsGroupsSchema).query(({ ctx, input }) => ctx.services.statistics.groups(input)),
});
