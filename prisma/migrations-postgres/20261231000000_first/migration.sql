-- Texts are compared byte by byte and letters of ASCII without case, as in SQLite, whatever the database's locale is.

-- CreateTable
CREATE TABLE "Execution" (
    "seq" BIGSERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "searchable" BIGINT NOT NULL DEFAULT 0,
    "pinned" BOOLEAN NOT NULL DEFAULT false,
    "resultTruncated" BOOLEAN NOT NULL DEFAULT false,
    "validationSkipped" BOOLEAN NOT NULL DEFAULT false,
    "toolName" TEXT COLLATE "C" NOT NULL,
    "implementationType" TEXT COLLATE "C",
    "source" TEXT COLLATE "C" NOT NULL,
    "actorId" TEXT COLLATE "C" NOT NULL,
    "actorName" TEXT COLLATE "C" NOT NULL,
    "client" TEXT COLLATE "C",
    "queuedAt" BIGINT NOT NULL,
    "startedAt" BIGINT,
    "finishedAt" BIGINT,
    "executionTimeMs" DOUBLE PRECISION,
    "validateMs" DOUBLE PRECISION,
    "recordMs" DOUBLE PRECISION,
    "runMs" DOUBLE PRECISION,
    "timeoutMs" DOUBLE PRECISION,
    "resultBytes" BIGINT,
    "storedBytes" BIGINT,
    "modelChars" BIGINT,
    "resultChars" BIGINT,
    "errorKind" TEXT COLLATE "C",
    "parentId" TEXT COLLATE "C",
    "runId" TEXT COLLATE "C",
    "callId" TEXT COLLATE "C",
    "serverName" TEXT COLLATE "C",
    "credential" TEXT COLLATE "C",
    "protocol" TEXT COLLATE "C",
    "definitionHash" TEXT COLLATE "C",
    "instanceId" TEXT COLLATE "C" NOT NULL,
    "argumentsPreview" TEXT COLLATE "C",
    "firedLimit" TEXT COLLATE "C",
    "error" TEXT COLLATE "C",
    "faults" TEXT COLLATE "C",
    "logs" TEXT COLLATE "C",
    "arguments" TEXT COLLATE "C" NOT NULL,
    "result" TEXT COLLATE "C",
    "reason" TEXT COLLATE "C",
    "toolset" TEXT COLLATE "C",
    "lens" TEXT COLLATE "C",
    "lensFault" TEXT COLLATE "C",
    "taskId" TEXT COLLATE "C",
    "tokenId" TEXT COLLATE "C",
    "calledAs" TEXT COLLATE "C",

    CONSTRAINT "Execution_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "IdempotencyKey" (
    "owner" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "fingerprint" TEXT COLLATE "C" NOT NULL,
    "targetId" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,

    CONSTRAINT "IdempotencyKey_pkey" PRIMARY KEY ("owner","key")
);

-- CreateTable
CREATE TABLE "Definition" (
    "hash" TEXT COLLATE "C" NOT NULL,
    "toolName" TEXT COLLATE "C" NOT NULL,
    "json" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "Definition_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "Tool" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "definition" TEXT COLLATE "C" NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "deletedAt" BIGINT,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changedBy" TEXT COLLATE "C",

    CONSTRAINT "Tool_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ToolVersion" (
    "toolName" TEXT COLLATE "C" NOT NULL,
    "number" INTEGER NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "definitionHash" TEXT COLLATE "C" NOT NULL,
    "definition" TEXT COLLATE "C" NOT NULL,
    "at" BIGINT NOT NULL,
    "actorId" TEXT COLLATE "C",
    "actorName" TEXT COLLATE "C",
    "cause" TEXT COLLATE "C" NOT NULL,
    "restoredFrom" INTEGER,
    "classification" TEXT COLLATE "C",

    CONSTRAINT "ToolVersion_pkey" PRIMARY KEY ("toolName","number")
);

-- CreateTable
CREATE TABLE "ToolPin" (
    "serverName" TEXT COLLATE "C" NOT NULL,
    "toolName" TEXT COLLATE "C" NOT NULL,
    "approvedHash" TEXT COLLATE "C",
    "approved" TEXT COLLATE "C",
    "heldHash" TEXT COLLATE "C",
    "heldAt" BIGINT,
    "status" TEXT COLLATE "C" NOT NULL,
    "deciderId" TEXT COLLATE "C",
    "deciderName" TEXT COLLATE "C",
    "decidedAt" BIGINT,

    CONSTRAINT "ToolPin_pkey" PRIMARY KEY ("serverName","toolName")
);

-- CreateTable
CREATE TABLE "DisabledTool" (
    "name" TEXT COLLATE "C" NOT NULL,
    "disabledAt" BIGINT NOT NULL,

    CONSTRAINT "DisabledTool_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "ToolOwner" (
    "toolName" TEXT COLLATE "C" NOT NULL,
    "personId" TEXT COLLATE "C" NOT NULL,
    "personName" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ToolOwner_pkey" PRIMARY KEY ("toolName")
);

-- CreateTable
CREATE TABLE "FavoriteTool" (
    "personId" TEXT COLLATE "C" NOT NULL,
    "toolName" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "FavoriteTool_pkey" PRIMARY KEY ("personId","toolName")
);

-- CreateTable
CREATE TABLE "ToolDeprecation" (
    "toolName" TEXT COLLATE "C" NOT NULL,
    "deprecated" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ToolDeprecation_pkey" PRIMARY KEY ("toolName")
);

-- CreateTable
CREATE TABLE "Toolset" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "settings" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changedBy" TEXT COLLATE "C",

    CONSTRAINT "Toolset_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ToolLens" (
    "toolName" TEXT COLLATE "C" NOT NULL,
    "expression" TEXT COLLATE "C" NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "personId" TEXT COLLATE "C" NOT NULL,
    "personName" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ToolLens_pkey" PRIMARY KEY ("toolName")
);

-- CreateTable
CREATE TABLE "McpServer" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "settings" TEXT COLLATE "C" NOT NULL,
    "secrets" TEXT COLLATE "C",
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "deletedAt" BIGINT,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changedBy" TEXT COLLATE "C",

    CONSTRAINT "McpServer_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "McpServerState" (
    "name" TEXT COLLATE "C" NOT NULL,
    "tools" TEXT COLLATE "C",
    "listedAt" BIGINT,
    "changes" TEXT COLLATE "C",
    "credentials" TEXT COLLATE "C",
    "protocol" TEXT COLLATE "C",
    "disabledAt" BIGINT,

    CONSTRAINT "McpServerState_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "UpstreamCredential" (
    "serverName" TEXT COLLATE "C" NOT NULL,
    "personId" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C",
    "kind" TEXT COLLATE "C" NOT NULL,
    "sealed" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "updatedAt" BIGINT NOT NULL,

    CONSTRAINT "UpstreamCredential_pkey" PRIMARY KEY ("serverName","personId")
);

-- CreateTable
CREATE TABLE "ToolApprovalMode" (
    "name" TEXT COLLATE "C" NOT NULL,
    "mode" TEXT COLLATE "C" NOT NULL,
    "setAt" BIGINT NOT NULL,

    CONSTRAINT "ToolApprovalMode_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "Approval" (
    "seq" SERIAL NOT NULL,
    "executionId" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "requestedAt" BIGINT NOT NULL,
    "expiresAt" BIGINT NOT NULL,
    "detached" BOOLEAN NOT NULL DEFAULT false,
    "decidedAt" BIGINT,
    "deciderId" TEXT COLLATE "C",
    "deciderName" TEXT COLLATE "C",
    "reason" TEXT COLLATE "C",
    "requestedArguments" TEXT COLLATE "C",
    "scope" TEXT COLLATE "C",
    "revokedAt" BIGINT,
    "revokerId" TEXT COLLATE "C",
    "revokerName" TEXT COLLATE "C",
    "mode" TEXT COLLATE "C",

    CONSTRAINT "Approval_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "Run" (
    "seq" SERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "source" TEXT COLLATE "C" NOT NULL,
    "provider" TEXT COLLATE "C" NOT NULL,
    "model" TEXT COLLATE "C" NOT NULL,
    "title" TEXT COLLATE "C" NOT NULL,
    "actorId" TEXT COLLATE "C" NOT NULL,
    "actorName" TEXT COLLATE "C" NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "finishedAt" BIGINT,
    "activeMs" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "modelCalls" INTEGER NOT NULL DEFAULT 0,
    "toolCalls" INTEGER NOT NULL DEFAULT 0,
    "failedToolCalls" INTEGER NOT NULL DEFAULT 0,
    "inputTokens" INTEGER NOT NULL DEFAULT 0,
    "outputTokens" INTEGER NOT NULL DEFAULT 0,
    "cachedTokens" INTEGER NOT NULL DEFAULT 0,
    "reasoningTokens" INTEGER NOT NULL DEFAULT 0,
    "cost" DOUBLE PRECISION,
    "error" TEXT COLLATE "C",
    "parentId" TEXT COLLATE "C",
    "parentStep" INTEGER,
    "parentResults" TEXT COLLATE "C",
    "transcriptId" TEXT COLLATE "C",
    "settings" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "Run_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "RunEvent" (
    "runId" TEXT COLLATE "C" NOT NULL,
    "index" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "body" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "RunEvent_pkey" PRIMARY KEY ("runId","index")
);

-- CreateTable
CREATE TABLE "ModelProvider" (
    "name" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "settings" TEXT COLLATE "C" NOT NULL,
    "secret" TEXT COLLATE "C",
    "createdAt" BIGINT NOT NULL,
    "updatedAt" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "changedBy" TEXT COLLATE "C",

    CONSTRAINT "ModelProvider_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "ModelCheck" (
    "seq" SERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "provider" TEXT COLLATE "C" NOT NULL,
    "model" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "rounds" INTEGER NOT NULL,
    "startedAt" BIGINT NOT NULL,
    "finishedAt" BIGINT,
    "passed" INTEGER NOT NULL DEFAULT 0,
    "done" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER NOT NULL,
    "error" TEXT COLLATE "C",
    "attempts" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ModelCheck_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "Transcript" (
    "seq" SERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "title" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "closedAt" BIGINT,
    "settings" TEXT COLLATE "C" NOT NULL,
    "progress" TEXT COLLATE "C",
    "segmentCount" INTEGER NOT NULL DEFAULT 0,
    "characters" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "Transcript_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "TranscriptSegment" (
    "seq" SERIAL NOT NULL,
    "transcriptId" TEXT COLLATE "C" NOT NULL,
    "receivedAt" BIGINT NOT NULL,
    "atMs" DOUBLE PRECISION,
    "speaker" TEXT COLLATE "C",
    "text" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "TranscriptSegment_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "TranscriptQuery" (
    "seq" SERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "transcriptId" TEXT COLLATE "C" NOT NULL,
    "text" TEXT COLLATE "C" NOT NULL,
    "wakePhrase" TEXT COLLATE "C" NOT NULL,
    "speaker" TEXT COLLATE "C",
    "fromSeq" INTEGER NOT NULL,
    "toSeq" INTEGER NOT NULL,
    "runId" TEXT COLLATE "C",
    "answer" TEXT COLLATE "C",
    "askedAt" BIGINT NOT NULL,
    "answeredAt" BIGINT,
    "error" TEXT COLLATE "C",

    CONSTRAINT "TranscriptQuery_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "GatewaySession" (
    "idHash" TEXT COLLATE "C" NOT NULL,
    "address" TEXT COLLATE "C" NOT NULL,
    "protocol" TEXT COLLATE "C" NOT NULL,
    "client" TEXT COLLATE "C" NOT NULL,
    "logLevel" TEXT COLLATE "C",
    "createdAt" BIGINT NOT NULL,
    "lastUsedAt" BIGINT NOT NULL,

    CONSTRAINT "GatewaySession_pkey" PRIMARY KEY ("idHash")
);

-- CreateTable
CREATE TABLE "GatewayTask" (
    "id" TEXT COLLATE "C" NOT NULL,
    "executionId" TEXT COLLATE "C" NOT NULL,
    "owner" TEXT COLLATE "C" NOT NULL,
    "calledAs" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "expiresAt" BIGINT NOT NULL,

    CONSTRAINT "GatewayTask_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SamplingRequest" (
    "id" SERIAL NOT NULL,
    "executionId" TEXT COLLATE "C" NOT NULL,
    "receivedAt" BIGINT NOT NULL,
    "durationMs" DOUBLE PRECISION NOT NULL,
    "outcome" TEXT COLLATE "C" NOT NULL,
    "provider" TEXT COLLATE "C",
    "model" TEXT COLLATE "C",
    "requestText" TEXT COLLATE "C" NOT NULL,
    "responseText" TEXT COLLATE "C",
    "stopReason" TEXT COLLATE "C",
    "error" TEXT COLLATE "C",
    "inputTokens" INTEGER,
    "outputTokens" INTEGER,

    CONSTRAINT "SamplingRequest_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "User" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "email" TEXT COLLATE "C" NOT NULL,
    "emailVerified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT COLLATE "C",
    "role" TEXT COLLATE "C" NOT NULL DEFAULT 'viewer',
    "disabledAt" TIMESTAMP(3),
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "User_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Session" (
    "id" TEXT COLLATE "C" NOT NULL,
    "token" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,
    "ipAddress" TEXT COLLATE "C",
    "userAgent" TEXT COLLATE "C",

    CONSTRAINT "Session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Account" (
    "id" TEXT COLLATE "C" NOT NULL,
    "accountId" TEXT COLLATE "C" NOT NULL,
    "providerId" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "accessToken" TEXT COLLATE "C",
    "refreshToken" TEXT COLLATE "C",
    "idToken" TEXT COLLATE "C",
    "accessTokenExpiresAt" TIMESTAMP(3),
    "refreshTokenExpiresAt" TIMESTAMP(3),
    "scope" TEXT COLLATE "C",
    "password" TEXT COLLATE "C",
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Verification" (
    "id" TEXT COLLATE "C" NOT NULL,
    "identifier" TEXT COLLATE "C" NOT NULL,
    "value" TEXT COLLATE "C" NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Verification_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "AccountLink" (
    "tokenHash" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "email" TEXT COLLATE "C",
    "role" TEXT COLLATE "C",
    "userId" TEXT COLLATE "C",
    "creatorId" TEXT COLLATE "C" NOT NULL,
    "creatorName" TEXT COLLATE "C" NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "expiresAt" BIGINT NOT NULL,

    CONSTRAINT "AccountLink_pkey" PRIMARY KEY ("tokenHash")
);

-- CreateTable
CREATE TABLE "ApiToken" (
    "id" TEXT COLLATE "C" NOT NULL,
    "ownerId" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,
    "start" TEXT COLLATE "C" NOT NULL,
    "scopes" TEXT COLLATE "C" NOT NULL,
    "tools" TEXT COLLATE "C",
    "servers" TEXT COLLATE "C",
    "createdAt" BIGINT NOT NULL,
    "expiresAt" BIGINT,
    "lastUsedAt" BIGINT,
    "revokedAt" BIGINT,
    "toolsets" TEXT COLLATE "C",

    CONSTRAINT "ApiToken_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "OauthClient" (
    "id" TEXT COLLATE "C" NOT NULL,
    "clientId" TEXT COLLATE "C" NOT NULL,
    "clientSecret" TEXT COLLATE "C",
    "clientDiscoveryId" TEXT COLLATE "C",
    "disabled" BOOLEAN DEFAULT false,
    "skipConsent" BOOLEAN,
    "enableEndSession" BOOLEAN,
    "subjectType" TEXT COLLATE "C",
    "scopes" TEXT COLLATE "C",
    "clientCredentialsScopes" TEXT COLLATE "C",
    "userId" TEXT COLLATE "C",
    "createdAt" TIMESTAMP(3),
    "updatedAt" TIMESTAMP(3),
    "name" TEXT COLLATE "C",
    "uri" TEXT COLLATE "C",
    "icon" TEXT COLLATE "C",
    "contacts" TEXT COLLATE "C",
    "tos" TEXT COLLATE "C",
    "policy" TEXT COLLATE "C",
    "softwareId" TEXT COLLATE "C",
    "softwareVersion" TEXT COLLATE "C",
    "softwareStatement" TEXT COLLATE "C",
    "redirectUris" TEXT COLLATE "C" NOT NULL,
    "postLogoutRedirectUris" TEXT COLLATE "C",
    "backchannelLogoutUri" TEXT COLLATE "C",
    "backchannelLogoutSessionRequired" BOOLEAN,
    "tokenEndpointAuthMethod" TEXT COLLATE "C",
    "applicationType" TEXT COLLATE "C",
    "jwks" TEXT COLLATE "C",
    "jwksUri" TEXT COLLATE "C",
    "grantTypes" TEXT COLLATE "C",
    "responseTypes" TEXT COLLATE "C",
    "requirePKCE" BOOLEAN,
    "dpopBoundAccessTokens" BOOLEAN DEFAULT false,
    "referenceId" TEXT COLLATE "C",
    "metadata" TEXT COLLATE "C",

    CONSTRAINT "OauthClient_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "OauthResource" (
    "id" TEXT COLLATE "C" NOT NULL,
    "identifier" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "accessTokenTtl" INTEGER,
    "refreshTokenTtl" INTEGER,
    "signingAlgorithm" TEXT COLLATE "C",
    "signingKeyId" TEXT COLLATE "C",
    "allowedScopes" TEXT COLLATE "C",
    "customClaims" TEXT COLLATE "C",
    "dpopBoundAccessTokensRequired" BOOLEAN DEFAULT false,
    "disabled" BOOLEAN DEFAULT false,
    "createdAt" TIMESTAMP(3),
    "updatedAt" TIMESTAMP(3),
    "policyVersion" INTEGER DEFAULT 1,
    "metadata" TEXT COLLATE "C",

    CONSTRAINT "OauthResource_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "OauthClientResource" (
    "id" TEXT COLLATE "C" NOT NULL,
    "clientId" TEXT COLLATE "C" NOT NULL,
    "resourceId" TEXT COLLATE "C" NOT NULL,
    "metadata" TEXT COLLATE "C",
    "createdAt" TIMESTAMP(3),

    CONSTRAINT "OauthClientResource_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "OauthRefreshToken" (
    "id" TEXT COLLATE "C" NOT NULL,
    "token" TEXT COLLATE "C" NOT NULL,
    "clientId" TEXT COLLATE "C" NOT NULL,
    "sessionId" TEXT COLLATE "C",
    "userId" TEXT COLLATE "C" NOT NULL,
    "referenceId" TEXT COLLATE "C",
    "authorizationCodeId" TEXT COLLATE "C",
    "resources" TEXT COLLATE "C",
    "requestedUserInfoClaims" TEXT COLLATE "C",
    "expiresAt" TIMESTAMP(3) NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "revoked" TIMESTAMP(3),
    "rotatedAt" TIMESTAMP(3),
    "rotationReplayResponse" TEXT COLLATE "C",
    "rotationReplayExpiresAt" TIMESTAMP(3),
    "authTime" TIMESTAMP(3),
    "confirmation" TEXT COLLATE "C",
    "scopes" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "OauthRefreshToken_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "OauthAccessToken" (
    "id" TEXT COLLATE "C" NOT NULL,
    "token" TEXT COLLATE "C" NOT NULL,
    "clientId" TEXT COLLATE "C" NOT NULL,
    "sessionId" TEXT COLLATE "C",
    "userId" TEXT COLLATE "C",
    "referenceId" TEXT COLLATE "C",
    "authorizationCodeId" TEXT COLLATE "C",
    "resources" TEXT COLLATE "C",
    "requestedUserInfoClaims" TEXT COLLATE "C",
    "refreshId" TEXT COLLATE "C",
    "expiresAt" TIMESTAMP(3) NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "revoked" TIMESTAMP(3),
    "confirmation" TEXT COLLATE "C",
    "scopes" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "OauthAccessToken_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "OauthConsent" (
    "id" TEXT COLLATE "C" NOT NULL,
    "clientId" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C",
    "referenceId" TEXT COLLATE "C",
    "resources" TEXT COLLATE "C",
    "requestedUserInfoClaims" TEXT COLLATE "C",
    "scopes" TEXT COLLATE "C" NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,
    "redirectUris" TEXT COLLATE "C",

    CONSTRAINT "OauthConsent_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "OauthClientAssertion" (
    "id" TEXT COLLATE "C" NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "OauthClientAssertion_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Setting" (
    "key" TEXT COLLATE "C" NOT NULL,
    "value" TEXT COLLATE "C" NOT NULL,
    "updatedAt" BIGINT NOT NULL,

    CONSTRAINT "Setting_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "ExecutionDigest" (
    "seq" INTEGER NOT NULL,
    "kind" TEXT COLLATE "C" NOT NULL,
    "at" BIGINT NOT NULL,
    "actor" TEXT COLLATE "C",
    "toSeq" BIGINT NOT NULL,
    "open" TEXT COLLATE "C" NOT NULL,
    "marks" BYTEA NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ExecutionDigest_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "AuditEntry" (
    "seq" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "actorId" TEXT COLLATE "C" NOT NULL,
    "actorName" TEXT COLLATE "C" NOT NULL,
    "token" TEXT COLLATE "C",
    "address" TEXT COLLATE "C",
    "door" TEXT COLLATE "C" NOT NULL,
    "action" TEXT COLLATE "C" NOT NULL,
    "targetKind" TEXT COLLATE "C",
    "targetName" TEXT COLLATE "C",
    "outcome" TEXT COLLATE "C" NOT NULL,
    "error" TEXT COLLATE "C",
    "before" TEXT COLLATE "C",
    "after" TEXT COLLATE "C",
    "times" INTEGER NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "AuditEntry_pkey" PRIMARY KEY ("seq")
);

-- CreateIndex
CREATE UNIQUE INDEX "Execution_id_key" ON "Execution"("id");

-- CreateIndex
CREATE INDEX "Execution_toolName_seq_idx" ON "Execution"("toolName", "seq");

-- CreateIndex
CREATE INDEX "Execution_source_seq_idx" ON "Execution"("source", "seq");

-- CreateIndex
CREATE INDEX "Execution_actorId_seq_idx" ON "Execution"("actorId", "seq");

-- CreateIndex
CREATE INDEX "Execution_queuedAt_seq_idx" ON "Execution"("queuedAt", "seq");

-- CreateIndex
CREATE INDEX "Execution_unsuccessful" ON "Execution"("status", "seq") WHERE ("status" != 'succeeded');

-- CreateIndex
CREATE INDEX "Execution_unindexed" ON "Execution"("seq") WHERE ("searchable" != 1);

-- CreateIndex
CREATE INDEX "Execution_children" ON "Execution"("parentId", "seq") WHERE ("parentId" IS NOT NULL);

-- CreateIndex
CREATE INDEX "Execution_pinned" ON "Execution"("pinned", "seq") WHERE ("pinned" = true);

-- CreateIndex
CREATE INDEX "Execution_of_run" ON "Execution"("runId", "seq") WHERE ("runId" IS NOT NULL);

-- CreateIndex
CREATE INDEX "Execution_toolset" ON "Execution"("toolset", "seq") WHERE ("toolset" IS NOT NULL);

-- CreateIndex
CREATE INDEX "Execution_lens_failed" ON "Execution"("toolName", "seq") WHERE ("lensFault" IS NOT NULL);

-- CreateIndex
CREATE INDEX "Execution_token" ON "Execution"("tokenId", "seq") WHERE ("tokenId" IS NOT NULL);

-- CreateIndex
CREATE INDEX "Execution_called_as" ON "Execution"("calledAs", "seq") WHERE ("calledAs" IS NOT NULL);

-- CreateIndex
CREATE INDEX "IdempotencyKey_createdAt_idx" ON "IdempotencyKey"("createdAt");

-- CreateIndex
CREATE INDEX "IdempotencyKey_targetId_idx" ON "IdempotencyKey"("targetId");

-- CreateIndex
CREATE UNIQUE INDEX "Tool_name_live" ON "Tool"("name") WHERE ("deletedAt" IS NULL);

-- CreateIndex
CREATE INDEX "ToolVersion_definitionHash_idx" ON "ToolVersion"("definitionHash");

-- CreateIndex
CREATE INDEX "FavoriteTool_toolName_idx" ON "FavoriteTool"("toolName");

-- CreateIndex
CREATE UNIQUE INDEX "Toolset_name_key" ON "Toolset"("name");

-- CreateIndex
CREATE UNIQUE INDEX "McpServer_name_live" ON "McpServer"("name") WHERE ("deletedAt" IS NULL);

-- CreateIndex
CREATE INDEX "UpstreamCredential_personId_idx" ON "UpstreamCredential"("personId");

-- CreateIndex
CREATE UNIQUE INDEX "Approval_executionId_key" ON "Approval"("executionId");

-- CreateIndex
CREATE INDEX "Approval_open" ON "Approval"("status") WHERE ("status" = 'open');

-- CreateIndex
CREATE UNIQUE INDEX "Run_id_key" ON "Run"("id");

-- CreateIndex
CREATE INDEX "Run_unfinished" ON "Run"("status") WHERE (status = ANY (ARRAY['running'::text, 'waiting'::text]));

-- CreateIndex
CREATE INDEX "Run_children" ON "Run"("parentId") WHERE ("parentId" IS NOT NULL);

-- CreateIndex
CREATE INDEX "Run_of_transcript" ON "Run"("transcriptId") WHERE ("transcriptId" IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "ModelCheck_id_key" ON "ModelCheck"("id");

-- CreateIndex
CREATE INDEX "ModelCheck_provider_model_idx" ON "ModelCheck"("provider", "model");

-- CreateIndex
CREATE UNIQUE INDEX "Transcript_id_key" ON "Transcript"("id");

-- CreateIndex
CREATE INDEX "TranscriptSegment_transcriptId_idx" ON "TranscriptSegment"("transcriptId");

-- CreateIndex
CREATE UNIQUE INDEX "TranscriptQuery_id_key" ON "TranscriptQuery"("id");

-- CreateIndex
CREATE INDEX "TranscriptQuery_transcriptId_idx" ON "TranscriptQuery"("transcriptId");

-- CreateIndex
CREATE INDEX "GatewaySession_lastUsedAt_idx" ON "GatewaySession"("lastUsedAt");

-- CreateIndex
CREATE INDEX "GatewayTask_owner_expiresAt_idx" ON "GatewayTask"("owner", "expiresAt");

-- CreateIndex
CREATE INDEX "GatewayTask_expiresAt_idx" ON "GatewayTask"("expiresAt");

-- CreateIndex
CREATE INDEX "SamplingRequest_executionId_idx" ON "SamplingRequest"("executionId");

-- CreateIndex
CREATE UNIQUE INDEX "User_email_key" ON "User"("email");

-- CreateIndex
CREATE UNIQUE INDEX "Session_token_key" ON "Session"("token");

-- CreateIndex
CREATE INDEX "Session_userId_idx" ON "Session"("userId");

-- CreateIndex
CREATE INDEX "Account_userId_idx" ON "Account"("userId");

-- CreateIndex
CREATE INDEX "Verification_identifier_idx" ON "Verification"("identifier");

-- CreateIndex
CREATE INDEX "AccountLink_userId_idx" ON "AccountLink"("userId");

-- CreateIndex
CREATE UNIQUE INDEX "ApiToken_hash_key" ON "ApiToken"("hash");

-- CreateIndex
CREATE INDEX "ApiToken_ownerId_idx" ON "ApiToken"("ownerId");

-- CreateIndex
CREATE UNIQUE INDEX "OauthClient_clientId_key" ON "OauthClient"("clientId");

-- CreateIndex
CREATE INDEX "OauthClient_userId_idx" ON "OauthClient"("userId");

-- CreateIndex
CREATE UNIQUE INDEX "OauthResource_identifier_key" ON "OauthResource"("identifier");

-- CreateIndex
CREATE INDEX "OauthClientResource_resourceId_idx" ON "OauthClientResource"("resourceId");

-- CreateIndex
CREATE UNIQUE INDEX "OauthClientResource_clientId_resourceId_key" ON "OauthClientResource"("clientId", "resourceId");

-- CreateIndex
CREATE UNIQUE INDEX "OauthRefreshToken_token_key" ON "OauthRefreshToken"("token");

-- CreateIndex
CREATE INDEX "OauthRefreshToken_clientId_idx" ON "OauthRefreshToken"("clientId");

-- CreateIndex
CREATE INDEX "OauthRefreshToken_sessionId_idx" ON "OauthRefreshToken"("sessionId");

-- CreateIndex
CREATE INDEX "OauthRefreshToken_userId_idx" ON "OauthRefreshToken"("userId");

-- CreateIndex
CREATE INDEX "OauthRefreshToken_authorizationCodeId_idx" ON "OauthRefreshToken"("authorizationCodeId");

-- CreateIndex
CREATE UNIQUE INDEX "OauthAccessToken_token_key" ON "OauthAccessToken"("token");

-- CreateIndex
CREATE INDEX "OauthAccessToken_clientId_idx" ON "OauthAccessToken"("clientId");

-- CreateIndex
CREATE INDEX "OauthAccessToken_sessionId_idx" ON "OauthAccessToken"("sessionId");

-- CreateIndex
CREATE INDEX "OauthAccessToken_userId_idx" ON "OauthAccessToken"("userId");

-- CreateIndex
CREATE INDEX "OauthAccessToken_authorizationCodeId_idx" ON "OauthAccessToken"("authorizationCodeId");

-- CreateIndex
CREATE INDEX "OauthAccessToken_refreshId_idx" ON "OauthAccessToken"("refreshId");

-- CreateIndex
CREATE INDEX "OauthConsent_clientId_idx" ON "OauthConsent"("clientId");

-- CreateIndex
CREATE INDEX "OauthConsent_userId_idx" ON "OauthConsent"("userId");

-- CreateIndex
CREATE INDEX "AuditEntry_actorId_actorName_idx" ON "AuditEntry"("actorId", "actorName");

-- CreateIndex
CREATE INDEX "AuditEntry_action_idx" ON "AuditEntry"("action");

-- CreateIndex
CREATE INDEX "AuditEntry_targetKind_idx" ON "AuditEntry"("targetKind");

-- AddForeignKey
ALTER TABLE "Execution" ADD CONSTRAINT "Execution_definitionHash_fkey" FOREIGN KEY ("definitionHash") REFERENCES "Definition"("hash") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "UpstreamCredential" ADD CONSTRAINT "UpstreamCredential_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Session" ADD CONSTRAINT "Session_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Account" ADD CONSTRAINT "Account_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AccountLink" ADD CONSTRAINT "AccountLink_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ApiToken" ADD CONSTRAINT "ApiToken_ownerId_fkey" FOREIGN KEY ("ownerId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OauthClient" ADD CONSTRAINT "OauthClient_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OauthClientResource" ADD CONSTRAINT "OauthClientResource_clientId_fkey" FOREIGN KEY ("clientId") REFERENCES "OauthClient"("clientId") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OauthClientResource" ADD CONSTRAINT "OauthClientResource_resourceId_fkey" FOREIGN KEY ("resourceId") REFERENCES "OauthResource"("identifier") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OauthRefreshToken" ADD CONSTRAINT "OauthRefreshToken_clientId_fkey" FOREIGN KEY ("clientId") REFERENCES "OauthClient"("clientId") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OauthRefreshToken" ADD CONSTRAINT "OauthRefreshToken_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES "Session"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OauthRefreshToken" ADD CONSTRAINT "OauthRefreshToken_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OauthAccessToken" ADD CONSTRAINT "OauthAccessToken_clientId_fkey" FOREIGN KEY ("clientId") REFERENCES "OauthClient"("clientId") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OauthAccessToken" ADD CONSTRAINT "OauthAccessToken_sessionId_fkey" FOREIGN KEY ("sessionId") REFERENCES "Session"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OauthAccessToken" ADD CONSTRAINT "OauthAccessToken_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OauthAccessToken" ADD CONSTRAINT "OauthAccessToken_refreshId_fkey" FOREIGN KEY ("refreshId") REFERENCES "OauthRefreshToken"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OauthConsent" ADD CONSTRAINT "OauthConsent_clientId_fkey" FOREIGN KEY ("clientId") REFERENCES "OauthClient"("clientId") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "OauthConsent" ADD CONSTRAINT "OauthConsent_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What a search looks through: arguments, result and error of an execution. Filled after the response. Without a foreign
-- key, which would write into the row of each execution.
CREATE TABLE "ExecutionText" (
    "seq" BIGINT NOT NULL,
    "body" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "ExecutionText_pkey" PRIMARY KEY ("seq")
);

-- A server may not have the extension, or the user not the right to it: then a search reads the texts themselves.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX "ExecutionText_trgm" ON "ExecutionText" USING gin ("body" gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'pg_trgm is not available: texts are searched without an index';
END
$$;

CREATE FUNCTION "AuditEntry_keep"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entries of the audit log are never %', CASE TG_OP WHEN 'UPDATE' THEN 'changed' ELSE 'removed' END;
END
$$;

CREATE TRIGGER "AuditEntry_no_update" BEFORE UPDATE ON "AuditEntry" FOR EACH ROW EXECUTE FUNCTION "AuditEntry_keep"();
CREATE TRIGGER "AuditEntry_no_delete" BEFORE DELETE ON "AuditEntry" FOR EACH ROW EXECUTE FUNCTION "AuditEntry_keep"();
CREATE TRIGGER "AuditEntry_no_truncate" BEFORE TRUNCATE ON "AuditEntry" FOR EACH STATEMENT EXECUTE FUNCTION "AuditEntry_keep"();
