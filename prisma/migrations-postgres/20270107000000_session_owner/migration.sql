ALTER TABLE "GatewaySession" ADD COLUMN "owner" TEXT COLLATE "C";
