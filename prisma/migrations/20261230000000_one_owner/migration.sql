-- DropTable
DROP TABLE "Instance";

-- DropTable
DROP TABLE "Change";

-- DropTable
DROP TABLE "Command";

-- DropTable
DROP TABLE "Interaction";

-- DropTable
DROP TABLE "Lease";

-- DropTable
DROP TABLE "Job";

-- AlterTable
ALTER TABLE "Run" DROP COLUMN "instanceId";

-- AlterTable
ALTER TABLE "ModelCheck" DROP COLUMN "instanceId";
