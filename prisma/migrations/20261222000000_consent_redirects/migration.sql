-- AlterTable
ALTER TABLE "OauthConsent" ADD COLUMN "redirectUris" TEXT;
