-- CreateIndex: the rows of one group in the order of time. Those of all calls are in that order by the key.
CREATE INDEX "Statistic_groups" ON "Statistic"("dimension", "value", "span", "start") WHERE "dimension" != 'all';
