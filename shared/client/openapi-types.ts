/** Made from /openapi.json by openapi-typescript; a test fails when it is stale. */
export interface paths {
    "/api/v8.0/{orgId}/ImportModuleAsync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import a package
         * @description Uploads a package, waits for the end of its import and answers with it. A refused package gets every problem at once; nothing of it is stored. A client that hangs up loses nothing: the import goes on.
         *
         *     Needs the role `OrganizationAdmin` in a vendor organization.
         */
        post: operations["importModule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List imports
         * @description Newest first. Those of a module include the refused ones whose package named it.
         *
         *     Needs the role `OrganizationMember` in a vendor organization.
         */
        get: operations["listImports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/imports/{importId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an import
         * @description Needs the role `OrganizationMember` in a vendor organization.
         */
        get: operations["readImport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/imports/{importId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch an import
         * @description Server-sent events: `event: import` with the import as data whenever it changes, and a comment every 15 seconds. The stream is closed after the end.
         *
         *     Needs the role `OrganizationMember` in a vendor organization.
         */
        get: operations["watchImport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/imports/{importId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an import
         * @description Only a queued import can be cancelled. Cancelling it again changes nothing.
         *
         *     Needs the role `OrganizationAdmin` in a vendor organization.
         */
        post: operations["cancelImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/modules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List modules
         * @description Newest first.
         *
         *     Needs the role `OrganizationMember` in a vendor organization.
         */
        get: operations["listModules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/modules/{moduleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a module
         * @description The current revision, or the one that is named. Environment variables are told without values.
         *
         *     Needs the role `OrganizationMember` in a vendor organization.
         */
        get: operations["readModule"];
        put?: never;
        post?: never;
        /**
         * Delete a module
         * @description Its scope is free again, its keys and installations end, its ID stays the owner’s.
         *
         *     Needs the role `OrganizationAdmin` in a vendor organization.
         */
        delete: operations["deleteModule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/modules/{moduleId}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List revisions
         * @description Newest first.
         *
         *     Needs the role `OrganizationMember` in a vendor organization.
         */
        get: operations["listRevisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/modules/{moduleId}/files/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a file of a module
         * @description Needs the role `OrganizationMember` in a vendor organization.
         */
        get: operations["readModuleFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/ExportModuleAsync/{moduleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a module as a package
         * @description The same revision gives the same bytes everywhere. It has the values of environment variables; each export is in the audit log.
         *
         *     Needs the role `OrganizationAdmin` in a vendor organization.
         */
        get: operations["exportModule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/registerApiClient/{moduleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make an API key
         * @description The only answer that has the key. An empty body is taken whatever its content type.
         *
         *     Needs the role `OrganizationAdmin` in a vendor organization.
         */
        post: operations["registerApiClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/apiClients/{moduleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Newest first; never a secret.
         *
         *     Needs the role `OrganizationMember` in a vendor organization.
         */
        get: operations["listApiClients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/apiClients/{moduleId}/{clientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API client
         * @description All its keys end everywhere within a second.
         *
         *     Needs the role `OrganizationAdmin` in a vendor organization.
         */
        delete: operations["revokeApiClient"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/apiClients/{moduleId}/{clientId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate an API key
         * @description The old key works on for as long as the body says; without a body it ends at once.
         *
         *     Needs the role `OrganizationAdmin` in a vendor organization.
         */
        post: operations["rotateApiClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/auditLog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit log
         * @description Newest first.
         *
         *     Needs the role `OrganizationMember` in a vendor organization.
         */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/Alerts/StructuresByModuleId/{moduleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read farm structures
         * @description The farms of every organization that has the module installed and opened `FarmOrganization` to it, by ID. With `limit` a page of organizations, without it all of them in one stream.
         *
         *     Needs an API key of the module, and its data area.
         */
        get: operations["readModuleStructures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/Alerts/RuleDefinitionsByModuleId/{moduleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read alert rule definitions
         * @description Needs an API key of the module, and its data area.
         */
        get: operations["readModuleAlertRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/Alerts/RulesByModuleId/{moduleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the rules that farmers built
         * @description Newest first; those of organizations that opened `FarmOrganizationAlerts` to the module.
         *
         *     Needs an API key of the module, and its data area.
         */
        get: operations["listModuleRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/Alerts/AlertsByModuleId/{moduleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Raise and resolve alerts
         * @description The whole batch is checked first; with any bad alert nothing is stored.
         *
         *     Needs an API key of the module, and its data area.
         */
        post: operations["raiseAlerts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/structures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the own farms
         * @description Needs the role `OrganizationMember` in a farmer organization.
         */
        get: operations["readStructures"];
        /**
         * Write farms
         * @description Creates or updates by ID; structures that the body leaves out stay. The whole body is stored, or nothing.
         *
         *     Needs the role `OrganizationAdmin` in a farmer organization.
         */
        put: operations["writeStructures"];
        post?: never;
        /**
         * Erase the own farms
         * @description Needs the role `OrganizationAdmin` in a farmer organization.
         */
        delete: operations["deleteStructures"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/availableModules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List modules on offer
         * @description The modules of the own tenant, newest first.
         *
         *     Needs the role `OrganizationMember` in a farmer organization.
         */
        get: operations["listAvailableModules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/availableModules/{moduleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a module on offer
         * @description Needs the role `OrganizationMember` in a farmer organization.
         */
        get: operations["readAvailableModule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/availableModules/{moduleId}/logo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a logo
         * @description Needs the role `OrganizationMember` in a farmer organization.
         */
        get: operations["readLogo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/installations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List installed modules
         * @description Needs the role `OrganizationMember` in a farmer organization.
         */
        get: operations["listInstallations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/installations/{moduleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an installation
         * @description Needs the role `OrganizationMember` in a farmer organization.
         */
        get: operations["readInstallation"];
        /**
         * Install a module
         * @description Without a body, all that the module declares is accepted.
         *
         *     Needs the role `OrganizationAdmin` in a farmer organization.
         */
        put: operations["installModule"];
        post?: never;
        /**
         * Uninstall a module
         * @description Rules and alerts stay with the farmer, hidden from the module.
         *
         *     Needs the role `OrganizationAdmin` in a farmer organization.
         */
        delete: operations["uninstallModule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alerts
         * @description Newest first.
         *
         *     Needs the role `OrganizationMember` in a farmer organization.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/alerts/{alertId}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge an alert
         * @description Needs the role `OrganizationAdmin` in a farmer organization.
         */
        post: operations["acknowledgeAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/alertRules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alert rules
         * @description Newest first.
         *
         *     Needs the role `OrganizationMember` in a farmer organization.
         */
        get: operations["listAlertRules"];
        put?: never;
        /**
         * Make an alert rule
         * @description Needs the role `OrganizationAdmin` in a farmer organization.
         */
        post: operations["createAlertRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/{orgId}/alertRules/{ruleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an alert rule
         * @description Needs the role `OrganizationMember` in a farmer organization.
         */
        get: operations["readAlertRule"];
        /**
         * Replace an alert rule
         * @description Needs the role `OrganizationAdmin` in a farmer organization.
         */
        put: operations["replaceAlertRule"];
        post?: never;
        /**
         * Delete an alert rule
         * @description Its open alerts are resolved.
         *
         *     Needs the role `OrganizationAdmin` in a farmer organization.
         */
        delete: operations["deleteAlertRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the limits
         * @description Anyone may call it.
         */
        get: operations["readLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/CommonData": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sets of the catalogue
         * @description Needs any valid token.
         */
        get: operations["listCatalogueSets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/CommonData/{set}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a set of the catalogue
         * @description Needs any valid token.
         */
        get: operations["readCatalogueSet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List organizations
         * @description Newest first.
         *
         *     Needs a token with the scope `operator`.
         */
        get: operations["listOrganizations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/organizations/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an organization
         * @description Needs a token with the scope `operator`.
         */
        get: operations["readOrganization"];
        /**
         * Write an organization
         * @description Kind and tenant never change.
         *
         *     Needs a token with the scope `operator`.
         */
        put: operations["writeOrganization"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/operations/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the imports of all organizations
         * @description Newest first.
         *
         *     Needs a token with the scope `operator`.
         */
        get: operations["listAllImports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/operations/imports/{importId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry an import that failed
         * @description Needs a token with the scope `operator`.
         */
        post: operations["retryImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/operations/backlog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what waits
         * @description From the rows of imports: they are the truth, whatever the queue knows.
         *
         *     Needs a token with the scope `operator`.
         */
        get: operations["readBacklog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v8.0/operations/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List workers
         * @description Needs a token with the scope `operator`.
         */
        get: operations["listWorkers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process answers
         * @description What watches the process may call it, also while it stops.
         */
        get: operations["isAlive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the service can serve
         * @description What watches the process may call it, also while it stops.
         */
        get: operations["isReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the process counts
         * @description For Prometheus: for this machine alone, or with `METRICS_TOKEN` as a bearer token.
         *
         *     What watches the process may call it, also while it stops.
         */
        get: operations["readMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description Anyone may call it.
         */
        get: operations["readOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document as a page for people
         * @description Anyone may call it.
         */
        get: operations["readDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schemas/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The JSON Schema of a file of packages
         * @description For editors: the rules validate with the same schemas.
         *
         *     Anyone may call it.
         */
        get: operations["readSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/problems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every code of problems
         * @description Anyone may call it.
         */
        get: operations["listProblems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/problems/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a code means, and what to do
         * @description Anyone may call it.
         */
        get: operations["readProblem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Why a call was not answered as it was meant (RFC 9457). */
        Problem: {
            /**
             * Format: uri-reference
             * @description Address of the page that explains the code.
             */
            type: string;
            /** @description What the code means, in short. */
            title: string;
            /** @description The status of the answer. */
            status: number;
            /** @description What is wrong here, and what to do. */
            detail: string;
            /** @description Path of the request. */
            instance: string;
            /** @description Names the request in the logs. */
            traceId: string;
            /**
             * Format: uuid
             * @description The import that the problem is about.
             */
            importId?: string;
            /** @description Each fault, up to a hundred. */
            errors?: components["schemas"]["Fault"][];
            /** @description What does no harm, but may not be meant. */
            warnings?: components["schemas"]["Fault"][];
            /** @description All faults, told or not. */
            errorsTotal?: number;
        };
        /** @description One fault of a package or of a request, and where it is. */
        Fault: {
            /**
             * @description What is wrong; `/problems/<code>` explains it.
             * @enum {string}
             */
            code: "alert-rules-invalid" | "alert-rules-not-yaml" | "archive-ambiguous" | "archive-compression-unsupported" | "archive-encrypted" | "archive-entries-overlap" | "archive-entry-corrupt" | "archive-entry-headers-disagree" | "archive-entry-kind-forbidden" | "archive-entry-name-conflict" | "archive-entry-name-unsafe" | "archive-entry-too-large" | "archive-expands-too-far" | "archive-too-many-entries" | "archive-unreadable" | "auth-api-key-invalid" | "auth-data-area-missing" | "auth-forbidden" | "auth-token-invalid" | "descriptor-data-area-unknown" | "descriptor-duplicate-key" | "descriptor-english-missing" | "descriptor-file-misplaced" | "descriptor-file-missing" | "descriptor-invalid" | "descriptor-language-unknown" | "descriptor-not-json" | "descriptor-property-unknown" | "descriptor-schema-unsupported" | "descriptor-translation-duplicate" | "descriptor-value-repeated" | "import-cancelled" | "import-deadline-exceeded" | "import-failed" | "import-not-cancellable" | "import-not-retryable" | "import-rejected" | "import-still-running" | "layout-artifact-folder" | "layout-descriptor-missing" | "layout-entry-unexpected" | "layout-file-count" | "layout-file-too-large" | "layout-file-type" | "layout-file-undeclared" | "layout-file-unreferenced" | "layout-folder-missing" | "layout-folder-nested" | "layout-litter-skipped" | "layout-part-removed" | "layout-wrapped-in-folder" | "method-not-allowed" | "not-found" | "organization-fixed" | "rate-limited" | "registry-module-id-not-allowed" | "registry-revision-changed" | "registry-scope-taken" | "registry-superseded" | "request-file-missing" | "request-idempotency-mismatch" | "request-invalid" | "request-too-large" | "request-too-slow" | "roles-invalid" | "roles-not-json" | "unavailable";
            /** @description What is wrong here, and what to do. */
            detail: string;
            /** @enum {string} */
            severity: "error" | "warning";
            /** @description Path of the entry in the archive. */
            entry?: string;
            /** @description JSON Pointer (RFC 6901) inside the entry, or inside the body of the request. */
            pointer?: string;
            /** @description Where the entry is text; the first is 1. */
            line?: number;
            /** @description In UTF-16 code units; the first is 1. */
            column?: number;
            /** @description A byte of the archive. */
            offset?: number;
        };
        /** @description One upload of a package, and what became of it. */
        Import: {
            /** Format: uuid */
            importId: string;
            /**
             * Format: uuid
             * @description The vendor.
             */
            organizationId: string;
            /**
             * @description `rejected` is for the vendor to mend, `failed` is a fault of ours.
             * @enum {string}
             */
            status: "queued" | "running" | "succeeded" | "rejected" | "failed" | "cancelled";
            /** @description Whether nothing was to be stored. */
            validateOnly: boolean;
            /**
             * @description Null until the import has succeeded.
             * @enum {string|null}
             */
            outcome: "created" | "updated" | "unchanged" | null;
            /** Format: uuid */
            moduleId: string | null;
            moduleVersion: number | null;
            /** @description Of the module, after the import. */
            revision: number | null;
            /** @description Why the package was rejected, or, of a failed import, that its time was over. */
            errors: components["schemas"]["Fault"][];
            warnings: components["schemas"]["Fault"][];
            /** @description All errors, told or not. */
            errorsTotal: number;
            progress: components["schemas"]["ImportProgress"];
            /** @description As the upload named it. */
            fileName: string | null;
            /** @description Of the package. */
            sizeBytes: number;
            /** @description Of the package. */
            sha256: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            finishedAt: string | null;
        };
        /** @description How far an import is. */
        ImportProgress: {
            /** @enum {string} */
            step: "queued" | "reading" | "checking" | "writing";
            /** @description Of `total`. */
            completed: number;
            /** @description In units of the step: bytes or files; 0 where it is not known yet. */
            total: number;
        };
        /** @description One event of the stream. */
        ImportEvent: {
            /** @description Counts the changes of the import. */
            id: string;
            /** @constant */
            event: "import";
            /** @description The import. */
            data: string;
        };
        /** @description What an import that succeeded did. */
        ImportSuccess: {
            /** Format: uuid */
            importId: string;
            /** @constant */
            status: "succeeded";
            /**
             * @description What became of the module.
             * @enum {string}
             */
            outcome: "created" | "updated" | "unchanged";
            /**
             * Format: uuid
             * @description Null for a check of a package that names no module: nothing is reserved.
             */
            moduleId: string | null;
            /** @constant */
            moduleVersion: 0.1;
            /** @description The current one after the import. */
            revision: number | null;
            /**
             * @description There when nothing was stored.
             * @constant
             */
            validateOnly?: true;
            warnings: components["schemas"]["Fault"][];
        };
        /**
         * moduleSchema.json
         * @description The descriptor of a module package. Absent and null are one for every optional member.
         */
        Descriptor: {
            /**
             * Version of this form
             * @description The form that this schema tells.
             * @constant
             */
            schema: "1.0";
            /**
             * Module
             * @description Absent, null or the empty GUID: a new module.
             */
            moduleId: string | null;
            /** Hosting type */
            hostingTypeId: string | null;
            /** Module type */
            typeId: string | null;
            /** Parent module */
            parentId: string | null;
            /** Category */
            categoryId: string | null;
            /** Federation type */
            federationTypeId: string | null;
            /**
             * Version
             * @description An import creates 0.1 whatever it says.
             */
            moduleVersion: number | null;
            /** The vendor's own version */
            vendorInternalCodeVersion: string | null;
            /** Component */
            component: string | null;
            /** Entry file */
            entryFileUrl: string | null;
            /** Why the module is offline */
            offlineReason: string | null;
            /**
             * Scope
             * @description Unique in the tenant; exact and case-sensitive.
             */
            scope: string | null;
            /** Whether the module works offline */
            offlineCapability: boolean | null;
            /** Deployment type */
            deploymentType: number | null;
            /** Payment options */
            paymentOptionIds: string[];
            /** Crops */
            cropIds: string[];
            /** Environments */
            environmentIds: string[];
            /** Requirements */
            requirementIds: string[];
            /**
             * Data areas
             * @description IDs of /api/v8.0/CommonData/dataAreas.
             */
            dataAreaIds: string[];
            /** Modules that it depends on */
            dependencies: string[];
            /**
             * Translations
             * @description One per language; English is required.
             */
            translations: {
                /**
                 * Language
                 * @description An ID of /api/v8.0/CommonData/languages.
                 */
                languageId: string;
                /**
                 * Name of the module
                 * @description As farmers see it in this language.
                 */
                moduleName: string;
                /** Short name */
                shortName: string | null;
                /** Description */
                description: string | null;
                /** Short description */
                shortDescription: string | null;
                /**
                 * Website
                 * Format: uri
                 * @description An http or https URL.
                 */
                websiteUrl: string | null;
                /** Name of the website */
                websiteName: string | null;
                /**
                 * Support
                 * Format: email
                 * @description An e-mail address.
                 */
                supportContact: string | null;
            }[];
            /**
             * Subscription options
             * @description How farmers pay for the module.
             */
            subscriptionOptions: {
                /** Payment cycle */
                paymentCycleId: string;
                /** Currency */
                currencyId: string;
                /** Region */
                regionId: string | null;
                /**
                 * Length of the trial
                 * @description Null: there is no trial.
                 */
                trialLength: number | null;
                /**
                 * Price
                 * @description At most 15 significant digits.
                 */
                price: number;
            }[];
            /**
             * Environment variables
             * @description What the module is started with, by environment.
             */
            environmentVariables: {
                /** Environment */
                appEnvironmentId: string;
                /**
                 * Key
                 * @description Once in each environment.
                 */
                key: string;
            }[];
            /**
             * Files
             * @description Terms, privacy statements, images and logos of the package.
             */
            moduleFiles: {
                /**
                 * Path in the package
                 * @description In ModuleToS/, ModulePrivacy/, ModuleImage/ or ModuleLogo/; case counts.
                 */
                file: string;
                /**
                 * Country
                 * Format: country-code
                 * @description ISO 3166-1 alpha-2 or alpha-3.
                 */
                countryId: string | null;
                /**
                 * Language
                 * Format: language-tag
                 * @description BCP 47.
                 */
                languageId: string | null;
                /** Kind of document */
                documentTypeId: string | null;
            }[];
        };
        /**
         * Module-specific roles and entities
         * @description The one JSON file in ModuleSpecificRolesEntitiesDefinition/.
         */
        RolesEntities: {
            /**
             * Roles that the module adds
             * @description Each builds on roles of the platform and says what it may do beside them.
             */
            roles: {
                /** Name of the role */
                name: string;
                /** Type of the entity that the role is for */
                entityType: string | null;
                /**
                 * Names of the roles that it builds on
                 * @description The role may do all that these may.
                 */
                baseRoles: string[];
                /**
                 * What the role may do
                 * @description Letters and digits name an entity; the list says what the role may do with it.
                 */
                permissions: {
                    [key: string]: string[];
                };
            }[];
            /**
             * Kinds of data that the module adds
             * @description Each with what it is for, so that a farmer can agree to it.
             */
            data: {
                /** Name of the data */
                name: string;
                /** Type of the entity */
                entityType: string | null;
                /** What the data is for */
                intention: string;
                /** Whether the data stays inside the module */
                internalOnly: boolean | null;
                /** Key of the environment variable that belongs to it */
                environmentKey: string | null;
            }[];
        };
        /**
         * Alert rule definitions
         * @description The one YAML file in AlertRuleDefinitionFile/, as the JSON value that it stands for.
         */
        AlertRuleDefinitions: {
            /**
             * Version of this form
             * @description Written `schema: !!float 1.1`.
             * @constant
             */
            schema: 1.1;
            /**
             * Criteria, by identifier
             * @description The identifier is a rule's left operand, and what the module's back end gets back.
             */
            criterias: {
                [key: string]: {
                    /**
                     * Name of the criterion
                     * @description Language (BCP 47) → text. English is required.
                     */
                    displayName: {
                        [key: string]: string;
                    };
                    /**
                     * What the criterion means
                     * @description Language (BCP 47) → text. English is required.
                     */
                    description: {
                        [key: string]: string;
                    } | null;
                    /**
                     * Inputs, by name
                     * @description A rule holds a value for each of them.
                     */
                    parts: {
                        [key: string]: {
                            /**
                             * Kind of input
                             * @description A select needs options.
                             * @enum {string}
                             */
                            field: "select" | "number" | "text" | "boolean" | "date";
                            /**
                             * Label of the input
                             * @description Language (BCP 47) → text. English is required.
                             */
                            title: {
                                [key: string]: string;
                            };
                            /**
                             * Options
                             * @description What a select offers: key → text. The key is what a rule holds.
                             */
                            options: {
                                [key: string]: {
                                    [key: string]: string;
                                };
                            } | null;
                            /** Smallest number allowed */
                            min: number | null;
                            /** Largest number allowed */
                            max: number | null;
                            /** Unit of the number */
                            unit: string | null;
                        };
                    };
                };
            };
        };
        /** @description A file of a revision. */
        ModuleFile: {
            /** @description In the package. */
            path: string;
            /** @description By the content of images, by the ending of other files. */
            mediaType: string;
            sizeBytes: number;
            sha256: string;
        };
        /** @description A module, as a list shows it. */
        ModuleSummary: {
            /** Format: uuid */
            id: string;
            /** @description Unique in the tenant. */
            scope: string | null;
            /** @description Its English name. */
            moduleName: string | null;
            /** @description By language. */
            translations: {
                /** Format: uuid */
                languageId: string;
                moduleName: string;
                shortName: string | null;
            }[];
            logos: components["schemas"]["Logo"][];
            /**
             * @description An import makes it 0.1.
             * @constant
             */
            moduleVersion: 0.1;
            /** @description The current one. */
            revision: number;
            /** @description The newest import of it that was no mere validation. */
            lastImport: {
                /** Format: uuid */
                importId: string;
                /** @enum {string} */
                status: "queued" | "running" | "succeeded" | "rejected" | "failed" | "cancelled";
                /** Format: date-time */
                createdAt: string;
            } | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** @description One revision of a module, whole. */
        Module: {
            /** Format: uuid */
            id: string;
            /** @description The one that is told. */
            revision: number;
            /** @description The newest. */
            currentRevision: number;
            /**
             * @description An import makes it 0.1.
             * @constant
             */
            moduleVersion: 0.1;
            /**
             * Format: uuid
             * @description The import that made the revision.
             */
            importId: string;
            descriptor: components["schemas"]["Descriptor"];
            roles: components["schemas"]["RolesEntities"] | null;
            alertRules: components["schemas"]["AlertRuleDefinitions"] | null;
            /** @description By path. */
            files: components["schemas"]["ModuleFile"][];
            /**
             * Format: date-time
             * @description When the module was made.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the revision was made.
             */
            updatedAt: string;
        };
        /** @description A revision, as a list shows it. */
        Revision: {
            revision: number;
            /** Format: uuid */
            importId: string;
            /** @description How many it has. */
            files: number;
            /** @description All its files together. */
            sizeBytes: number;
            /** Format: date-time */
            createdAt: string;
        };
        /** @description A logo of a module. */
        Logo: {
            path: string;
            mediaType: string;
            sha256: string;
        };
        /** @description A module on offer, as a list shows it. */
        AvailableModuleSummary: {
            /** Format: uuid */
            id: string;
            /**
             * @description An import makes it 0.1.
             * @constant
             */
            moduleVersion: 0.1;
            /** @description The current one. */
            revision: number;
            logos: components["schemas"]["Logo"][];
            /** @description The data that it asks to read. */
            dataAreaIds: string[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description By language. */
            translations: {
                /** Format: uuid */
                languageId: string;
                moduleName: string;
                shortName: string | null;
            }[];
        };
        /** @description A module on offer, whole. */
        AvailableModule: {
            /** Format: uuid */
            id: string;
            /**
             * @description An import makes it 0.1.
             * @constant
             */
            moduleVersion: 0.1;
            /** @description The current one. */
            revision: number;
            logos: components["schemas"]["Logo"][];
            /** @description The data that it asks to read. */
            dataAreaIds: string[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * Translations
             * @description One per language; English is required.
             */
            translations: {
                /**
                 * Language
                 * @description An ID of /api/v8.0/CommonData/languages.
                 */
                languageId: string;
                /**
                 * Name of the module
                 * @description As farmers see it in this language.
                 */
                moduleName: string;
                /** Short name */
                shortName: string | null;
                /** Description */
                description: string | null;
                /** Short description */
                shortDescription: string | null;
                /**
                 * Website
                 * Format: uri
                 * @description An http or https URL.
                 */
                websiteUrl: string | null;
                /** Name of the website */
                websiteName: string | null;
                /**
                 * Support
                 * Format: email
                 * @description An e-mail address.
                 */
                supportContact: string | null;
            }[];
            alertRules: components["schemas"]["AlertRuleDefinitions"] | null;
        };
        /** @description A module that a farmer has installed. */
        Installation: {
            /** Format: uuid */
            organizationId: string;
            /** Format: uuid */
            moduleId: string;
            /** @description What the module may read. */
            acceptedDataAreaIds: string[];
            /** @description Whether a newer revision asks for more than was offered. */
            consentPending: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** @description What farmers can build rules of a module from. */
        ModuleAlertRules: {
            /** Format: uuid */
            moduleId: string;
            /** @description The current one. */
            revision: number | null;
            alertRules: components["schemas"]["AlertRuleDefinitions"] | null;
        };
        RegisterApiClient: {
            clientName?: string | null;
            expiresOn?: string | null;
        };
        RotateApiClient: {
            overlapSeconds?: number;
        };
        /** @description An API client with its key. */
        NewApiKey: {
            /** Format: uuid */
            moduleId: string;
            /** @description The API key. It is never shown again. */
            clientSecret: string;
            /** @description `ApiKey_` and a GUID unless the body named it. */
            clientName: string;
            /**
             * Format: uuid
             * @description The vendor organization.
             */
            parentId: string;
            /**
             * Format: uuid
             * @description Stays when the key is rotated.
             */
            clientId: string;
            /** Format: date-time */
            expiresOn: string;
            /**
             * Format: uuid
             * @description Of this key.
             */
            id: string;
        };
        /** @description An API key, without its secret. */
        ApiKey: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            clientId: string;
            clientName: string;
            /** Format: uuid */
            moduleId: string;
            /**
             * Format: uuid
             * @description The vendor organization.
             */
            parentId: string;
            /** @description The first 12 characters, to tell keys apart. */
            secretStart: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresOn: string;
            /** Format: date-time */
            revokedOn: string | null;
            /**
             * Format: date-time
             * @description Noted every few seconds.
             */
            lastUsedOn: string | null;
        };
        /** @description What somebody did in an organization. */
        AuditEntry: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            /** @description Subject of the token. */
            actor: string;
            /** @enum {string} */
            action: "apiClient.registered" | "apiClient.rotated" | "apiClient.revoked" | "module.deleted" | "module.exported";
            /** Format: uuid */
            moduleId: string | null;
            /** Format: uuid */
            clientId: string | null;
            /** @description Of the request. */
            traceId: string;
        };
        Install: {
            acceptedDataAreaIds?: string[];
        };
        NewAlertRule: {
            moduleId: string;
            criteria: string;
            values: {
                [key: string]: string | number | boolean;
            };
            name?: string | null;
            enabled?: boolean;
        };
        AlertRuleChange: {
            moduleId?: string;
            criteria: string;
            values: {
                [key: string]: string | number | boolean;
            };
            name?: string | null;
            enabled?: boolean;
        };
        /** @description A rule that a farmer built from what a module offers. */
        AlertRule: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description The farmer.
             */
            organizationId: string;
            /** Format: uuid */
            moduleId: string;
            /** @description Identifier of a criterion of the definitions. */
            criteria: string;
            /** @description A value for each part of the criterion. */
            values: {
                [key: string]: string | number | boolean;
            };
            name: string | null;
            enabled: boolean;
            /**
             * @description `outdated`: it no longer fits the definitions.
             * @enum {string}
             */
            status: "active" | "outdated";
            /** @description Why it no longer fits. */
            outdatedReasons: string[];
            /** @description The revision of the module that it was judged by. */
            definitionRevision: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        RaiseAlerts: {
            alerts: {
                ruleId: string;
                target: {
                    /** @enum {unknown} */
                    type: "farm" | "field" | "block" | "irrigationStation";
                    id: string;
                };
                /** @enum {unknown} */
                status: "firing" | "resolved";
                /** @enum {unknown} */
                severity: "info" | "warning" | "critical";
                startsAt: string;
                endsAt?: string | null;
                title: string;
                message: string;
                value?: number | null;
                labels?: {
                    [key: string]: string;
                } | null;
            }[];
        };
        /** @description What became of a batch of alerts, in its order. */
        RaisedAlerts: {
            results: {
                /** Format: uuid */
                id: string;
                fingerprint: string;
                /** @enum {string} */
                outcome: "created" | "updated" | "resolved" | "unchanged";
            }[];
        };
        /** @description What a module raised under a rule. */
        Alert: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description The farmer.
             */
            organizationId: string;
            /** Format: uuid */
            moduleId: string;
            /** Format: uuid */
            ruleId: string;
            /** @description What it is about. */
            target: {
                /** @enum {string} */
                type: "farm" | "field" | "block" | "irrigationStation";
                /** Format: uuid */
                id: string;
            };
            /** @enum {string} */
            status: "firing" | "resolved";
            /** @enum {string} */
            severity: "info" | "warning" | "critical";
            /** Format: date-time */
            startsAt: string;
            /** Format: date-time */
            endsAt: string | null;
            title: string;
            message: string;
            value: number | null;
            labels: {
                [key: string]: string;
            };
            /** @description Of rule, target and labels: of one there is one open alert. */
            fingerprint: string;
            /** Format: date-time */
            acknowledgedAt: string | null;
            /** @description Subject of the token. */
            acknowledgedBy: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        WriteOrganization: {
            name: string;
            /** @enum {unknown} */
            kind: "vendor" | "farmer";
            tenantId: string;
        };
        /** @description A vendor or a farmer. */
        Organization: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            tenantId: string;
            /** @enum {string} */
            kind: "vendor" | "farmer";
            name: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        /** @description Every limit in force. */
        Limits: {
            maxPackageBytes: number;
            maxEntries: number;
            maxEntryBytes: number;
            maxUnpackedBytes: number;
            maxExpansionRatio: number;
            expansionGraceBytes: number;
            maxPathBytes: number;
            maxPathDepth: number;
            maxDescriptorBytes: number;
            maxRolesBytes: number;
            maxAlertRulesBytes: number;
            maxImageBytes: number;
            maxReportedProblems: number;
            maxUploads: number;
            maxUploadsPerOrganization: number;
            maxImportsPerMinute: number;
            maxJsonBodyBytes: number;
            /** @description Folders that every package must have. */
            requiredFolders: ("PackageArtifact" | "ModuleToS" | "ModulePrivacy" | "AlertRuleDefinitionFile" | "ModuleImage" | "ModuleLogo" | "ModuleSpecificRolesEntitiesDefinition")[];
        };
        /** @description A set of the catalogue. */
        CatalogueSet: {
            key: string;
            count: number;
        };
        /** @description A value of the catalogue. */
        CatalogueEntry: {
            /** Format: uuid */
            id: string;
            key: string;
            /** @description Its English name. */
            value: string;
            description: string | null;
            /**
             * Format: uuid
             * @description The entry that it belongs under.
             */
            parent: string | null;
        };
        /** @description What a code means. */
        ProblemPage: {
            code: string;
            /** @description `error`, `warning`, or the status of the answer. */
            kind: string;
            title: string;
            explanation: string;
            remedy: string;
        };
        /** @description A process that runs imports. */
        Worker: {
            name: string;
            ageSeconds: number;
            idleSeconds: number;
        };
        /** @description Imports that have not ended, of all organizations. */
        Backlog: {
            queued: number;
            running: number;
            /** @description How long the one that has waited longest has been waiting; 0 when none waits. */
            oldestWaitingSeconds: number;
        };
        /** @description The process answers. */
        Alive: {
            /** @constant */
            status: "ok";
        };
        /** @description Whether the service and its parts can serve. */
        Readiness: {
            /** @enum {string} */
            status: "ok" | "unavailable";
            /** @description By name. */
            parts: {
                /** @enum {string} */
                database: "ok" | "unavailable";
                /** @enum {string} */
                storage: "ok" | "unavailable";
            };
        };
        /** @description All sets. */
        CatalogueSets: {
            items: components["schemas"]["CatalogueSet"][];
        };
        /** @description A set. */
        CatalogueEntries: {
            items: components["schemas"]["CatalogueEntry"][];
        };
        /** @description All codes. */
        ProblemPages: {
            items: components["schemas"]["ProblemPage"][];
        };
        /** @description All workers. */
        Workers: {
            items: components["schemas"]["Worker"][];
        };
        /** @description Longitude, latitude and, if known, metres above the ellipsoid. */
        Position: number[];
        /** @description A Point of RFC 7946. */
        Point: {
            /** @constant */
            type: "Point";
            coordinates: components["schemas"]["Position"];
        };
        /** @description A LineString of RFC 7946. */
        LineString: {
            /** @constant */
            type: "LineString";
            coordinates: components["schemas"]["Position"][];
        };
        /** @description A Polygon of RFC 7946. */
        Polygon: {
            /** @constant */
            type: "Polygon";
            coordinates: components["schemas"]["Position"][][];
        };
        /** @description A MultiPolygon of RFC 7946. */
        MultiPolygon: {
            /** @constant */
            type: "MultiPolygon";
            coordinates: components["schemas"]["Position"][][][];
        };
        /** @description A farm, with what lies in it. */
        Farm: {
            /** Format: uuid */
            id: string;
            /** @description text of 1 to 200 characters that is not blank */
            name: string;
            /** @description text of 1 to 200 characters that is not blank, or null */
            code: string | null;
            /**
             * @description active or archived
             * @enum {unknown}
             */
            status: "active" | "archived";
            externalIds: {
                source: string;
                id: string;
            }[];
            /**
             * Format: country
             * @description an ISO 3166-1 alpha-2 code in upper case, such as NL, or null
             */
            countryCode: string | null;
            /**
             * Format: time-zone
             * @description a name of the IANA time zone database, such as Europe/Amsterdam, or null
             */
            timeZone: string | null;
            location: components["schemas"]["Point"] | null;
            /** @description a number from 0 to 100000000000000, or null */
            areaM2: number | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            boundary: components["schemas"]["Polygon"] | components["schemas"]["MultiPolygon"] | null;
            fields: components["schemas"]["Field"][];
            irrigationStations: components["schemas"]["IrrigationStation"][];
        };
        /** @description A field, with what lies in it. */
        Field: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            farmId: string;
            /** @description text of 1 to 200 characters that is not blank */
            name: string;
            /** @description text of 1 to 200 characters that is not blank, or null */
            code: string | null;
            /**
             * @description active or archived
             * @enum {unknown}
             */
            status: "active" | "archived";
            externalIds: {
                source: string;
                id: string;
            }[];
            /** @description a number from 0 to 100000000000000, or null */
            areaM2: number | null;
            /** @description a number from 0 to 100000000000000, or null */
            arableAreaM2: number | null;
            /** @description text of 1 to 200 characters that is not blank, or null */
            soilTextureType: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            boundary: components["schemas"]["Polygon"] | components["schemas"]["MultiPolygon"] | null;
            blocks: components["schemas"]["Block"][];
        };
        /** @description A irrigationStation, with what lies in it. */
        IrrigationStation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            farmId: string;
            /** @description text of 1 to 200 characters that is not blank */
            name: string;
            /** @description text of 1 to 200 characters that is not blank, or null */
            code: string | null;
            /**
             * @description active or archived
             * @enum {unknown}
             */
            status: "active" | "archived";
            externalIds: {
                source: string;
                id: string;
            }[];
            /**
             * @description one of pump, valve, filter, pivot, controller, or null
             * @enum {unknown}
             */
            kind: "pump" | "valve" | "filter" | "pivot" | "controller" | null;
            /** @description text of 1 to 200 characters that is not blank, or null */
            waterSource: string | null;
            /** @description a number from 0 to 1000000000, or null */
            maxFlowM3PerHour: number | null;
            /** @description a number from 0 to 1000000000, or null */
            nominalPressureKPa: number | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            location: components["schemas"]["Point"] | null;
        };
        /** @description A block, with what lies in it. */
        Block: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            fieldId: string;
            /** Format: uuid */
            farmId: string;
            /** @description text of 1 to 200 characters that is not blank */
            name: string;
            /** @description text of 1 to 200 characters that is not blank, or null */
            code: string | null;
            /**
             * @description active or archived
             * @enum {unknown}
             */
            status: "active" | "archived";
            externalIds: {
                source: string;
                id: string;
            }[];
            /** @description a number from 0 to 100000000000000, or null */
            areaM2: number | null;
            /** @description text of 1 to 200 characters that is not blank, or null */
            cropId: string | null;
            /**
             * Format: planting
             * @description a day as YYYY-MM-DD or a timestamp with its offset, or null
             */
            plantedAt: string | null;
            /** @description a number from 0 to 100000, or null */
            rowSpacingM: number | null;
            /** @description a number from 0 to 100000, or null */
            plantSpacingM: number | null;
            /** @description text of 1 to 200 characters that is not blank, or null */
            irrigationSystemType: string | null;
            irrigationStationIds: string[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            geometry: components["schemas"]["Polygon"] | components["schemas"]["MultiPolygon"] | components["schemas"]["Point"] | components["schemas"]["LineString"] | null;
        };
        /** @description A farm; its geometry is its boundary. */
        FarmFeature: {
            /** @constant */
            type: "Feature";
            /** Format: uuid */
            id: string;
            geometry: components["schemas"]["Point"] | components["schemas"]["Polygon"] | components["schemas"]["MultiPolygon"] | null;
            /** @description The other members. */
            properties: {
                /** @constant */
                structureType: "farm";
                /** Format: uuid */
                organizationId: string;
                /** Format: uuid */
                id: string;
                /** @description text of 1 to 200 characters that is not blank */
                name: string;
                /** @description text of 1 to 200 characters that is not blank, or null */
                code: string | null;
                /**
                 * @description active or archived
                 * @enum {unknown}
                 */
                status: "active" | "archived";
                externalIds: {
                    source: string;
                    id: string;
                }[];
                /**
                 * Format: country
                 * @description an ISO 3166-1 alpha-2 code in upper case, such as NL, or null
                 */
                countryCode: string | null;
                /**
                 * Format: time-zone
                 * @description a name of the IANA time zone database, such as Europe/Amsterdam, or null
                 */
                timeZone: string | null;
                location: components["schemas"]["Point"] | null;
                /** @description a number from 0 to 100000000000000, or null */
                areaM2: number | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
            };
        };
        /** @description A field; its geometry is its boundary. */
        FieldFeature: {
            /** @constant */
            type: "Feature";
            /** Format: uuid */
            id: string;
            geometry: components["schemas"]["Polygon"] | components["schemas"]["MultiPolygon"] | null;
            /** @description The other members. */
            properties: {
                /** @constant */
                structureType: "field";
                /** Format: uuid */
                organizationId: string;
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                farmId: string;
                /** @description text of 1 to 200 characters that is not blank */
                name: string;
                /** @description text of 1 to 200 characters that is not blank, or null */
                code: string | null;
                /**
                 * @description active or archived
                 * @enum {unknown}
                 */
                status: "active" | "archived";
                externalIds: {
                    source: string;
                    id: string;
                }[];
                /** @description a number from 0 to 100000000000000, or null */
                areaM2: number | null;
                /** @description a number from 0 to 100000000000000, or null */
                arableAreaM2: number | null;
                /** @description text of 1 to 200 characters that is not blank, or null */
                soilTextureType: string | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
            };
        };
        /** @description A irrigationStation; its geometry is its location. */
        IrrigationStationFeature: {
            /** @constant */
            type: "Feature";
            /** Format: uuid */
            id: string;
            geometry: components["schemas"]["Point"] | null;
            /** @description The other members. */
            properties: {
                /** @constant */
                structureType: "irrigationStation";
                /** Format: uuid */
                organizationId: string;
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                farmId: string;
                /** @description text of 1 to 200 characters that is not blank */
                name: string;
                /** @description text of 1 to 200 characters that is not blank, or null */
                code: string | null;
                /**
                 * @description active or archived
                 * @enum {unknown}
                 */
                status: "active" | "archived";
                externalIds: {
                    source: string;
                    id: string;
                }[];
                /**
                 * @description one of pump, valve, filter, pivot, controller, or null
                 * @enum {unknown}
                 */
                kind: "pump" | "valve" | "filter" | "pivot" | "controller" | null;
                /** @description text of 1 to 200 characters that is not blank, or null */
                waterSource: string | null;
                /** @description a number from 0 to 1000000000, or null */
                maxFlowM3PerHour: number | null;
                /** @description a number from 0 to 1000000000, or null */
                nominalPressureKPa: number | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
            };
        };
        /** @description A block; its geometry is its geometry. */
        BlockFeature: {
            /** @constant */
            type: "Feature";
            /** Format: uuid */
            id: string;
            geometry: components["schemas"]["Polygon"] | components["schemas"]["MultiPolygon"] | components["schemas"]["Point"] | components["schemas"]["LineString"] | null;
            /** @description The other members. */
            properties: {
                /** @constant */
                structureType: "block";
                /** Format: uuid */
                organizationId: string;
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                fieldId: string;
                /** Format: uuid */
                farmId: string;
                /** @description text of 1 to 200 characters that is not blank */
                name: string;
                /** @description text of 1 to 200 characters that is not blank, or null */
                code: string | null;
                /**
                 * @description active or archived
                 * @enum {unknown}
                 */
                status: "active" | "archived";
                externalIds: {
                    source: string;
                    id: string;
                }[];
                /** @description a number from 0 to 100000000000000, or null */
                areaM2: number | null;
                /** @description text of 1 to 200 characters that is not blank, or null */
                cropId: string | null;
                /**
                 * Format: planting
                 * @description a day as YYYY-MM-DD or a timestamp with its offset, or null
                 */
                plantedAt: string | null;
                /** @description a number from 0 to 100000, or null */
                rowSpacingM: number | null;
                /** @description a number from 0 to 100000, or null */
                plantSpacingM: number | null;
                /** @description text of 1 to 200 characters that is not blank, or null */
                irrigationSystemType: string | null;
                irrigationStationIds: string[];
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
            };
        };
        WrittenFarm: {
            id: string;
            /** @description text of 1 to 200 characters that is not blank */
            name?: string;
            /** @description text of 1 to 200 characters that is not blank, or null */
            code?: string | null;
            /**
             * @description active or archived
             * @enum {unknown}
             */
            status?: "active" | "archived";
            /** @description an array of objects with source and id, at most 50 */
            externalIds?: {
                source: string;
                id: string;
            }[] | null;
            /**
             * Format: country
             * @description an ISO 3166-1 alpha-2 code in upper case, such as NL, or null
             */
            countryCode?: string | null;
            /**
             * Format: time-zone
             * @description a name of the IANA time zone database, such as Europe/Amsterdam, or null
             */
            timeZone?: string | null;
            /** @description a number from 0 to 100000000000000, or null */
            areaM2?: number | null;
            boundary?: components["schemas"]["Polygon"] | components["schemas"]["MultiPolygon"] | null;
            location?: components["schemas"]["Point"] | null;
            /** @description Let pass: the service decides. */
            createdAt?: string;
            /** @description Let pass. */
            updatedAt?: string;
            fields?: components["schemas"]["WrittenField"][];
            irrigationStations?: components["schemas"]["WrittenIrrigationStation"][];
        };
        WrittenField: {
            id: string;
            /** @description text of 1 to 200 characters that is not blank */
            name?: string;
            /** @description text of 1 to 200 characters that is not blank, or null */
            code?: string | null;
            /**
             * @description active or archived
             * @enum {unknown}
             */
            status?: "active" | "archived";
            /** @description an array of objects with source and id, at most 50 */
            externalIds?: {
                source: string;
                id: string;
            }[] | null;
            /** @description a number from 0 to 100000000000000, or null */
            areaM2?: number | null;
            /** @description a number from 0 to 100000000000000, or null */
            arableAreaM2?: number | null;
            /** @description text of 1 to 200 characters that is not blank, or null */
            soilTextureType?: string | null;
            boundary?: components["schemas"]["Polygon"] | components["schemas"]["MultiPolygon"] | null;
            /**
             * Format: uuid
             * @description As the place in the body says.
             */
            farmId?: string;
            /** @description Let pass: the service decides. */
            createdAt?: string;
            /** @description Let pass. */
            updatedAt?: string;
            blocks?: components["schemas"]["WrittenBlock"][];
        };
        WrittenIrrigationStation: {
            id: string;
            /** @description text of 1 to 200 characters that is not blank */
            name?: string;
            /** @description text of 1 to 200 characters that is not blank, or null */
            code?: string | null;
            /**
             * @description active or archived
             * @enum {unknown}
             */
            status?: "active" | "archived";
            /** @description an array of objects with source and id, at most 50 */
            externalIds?: {
                source: string;
                id: string;
            }[] | null;
            /**
             * @description one of pump, valve, filter, pivot, controller, or null
             * @enum {unknown}
             */
            kind?: "pump" | "valve" | "filter" | "pivot" | "controller" | null;
            /** @description text of 1 to 200 characters that is not blank, or null */
            waterSource?: string | null;
            /** @description a number from 0 to 1000000000, or null */
            maxFlowM3PerHour?: number | null;
            /** @description a number from 0 to 1000000000, or null */
            nominalPressureKPa?: number | null;
            location?: components["schemas"]["Point"] | null;
            /**
             * Format: uuid
             * @description As the place in the body says.
             */
            farmId?: string;
            /** @description Let pass: the service decides. */
            createdAt?: string;
            /** @description Let pass. */
            updatedAt?: string;
        };
        WrittenBlock: {
            id: string;
            /** @description text of 1 to 200 characters that is not blank */
            name?: string;
            /** @description text of 1 to 200 characters that is not blank, or null */
            code?: string | null;
            /**
             * @description active or archived
             * @enum {unknown}
             */
            status?: "active" | "archived";
            /** @description an array of objects with source and id, at most 50 */
            externalIds?: {
                source: string;
                id: string;
            }[] | null;
            /** @description a number from 0 to 100000000000000, or null */
            areaM2?: number | null;
            /** @description text of 1 to 200 characters that is not blank, or null */
            cropId?: string | null;
            /**
             * Format: planting
             * @description a day as YYYY-MM-DD or a timestamp with its offset, or null
             */
            plantedAt?: string | null;
            /** @description a number from 0 to 100000, or null */
            rowSpacingM?: number | null;
            /** @description a number from 0 to 100000, or null */
            plantSpacingM?: number | null;
            /** @description text of 1 to 200 characters that is not blank, or null */
            irrigationSystemType?: string | null;
            /** @description an array of GUIDs, at most 1000 */
            irrigationStationIds?: string[] | null;
            geometry?: components["schemas"]["Polygon"] | components["schemas"]["MultiPolygon"] | components["schemas"]["Point"] | components["schemas"]["LineString"] | null;
            /**
             * Format: uuid
             * @description As the place in the body says.
             */
            farmId?: string;
            /**
             * Format: uuid
             * @description As the place in the body says.
             */
            fieldId?: string;
            /** @description Let pass: the service decides. */
            createdAt?: string;
            /** @description Let pass. */
            updatedAt?: string;
        };
        /** @description Structures as GeoJSON (RFC 7946), parents before what lies in them. */
        FeatureCollection: {
            /** @constant */
            type: "FeatureCollection";
            features: (components["schemas"]["FarmFeature"] | components["schemas"]["FieldFeature"] | components["schemas"]["IrrigationStationFeature"] | components["schemas"]["BlockFeature"])[];
        };
        /** @description Structures as GeoJSON (RFC 7946), parents before what lies in them. */
        ModuleFeatureCollection: {
            /** @constant */
            type: "FeatureCollection";
            features: (components["schemas"]["FarmFeature"] | components["schemas"]["FieldFeature"] | components["schemas"]["IrrigationStationFeature"] | components["schemas"]["BlockFeature"])[];
            /** @description What `cursor` is to be for the next page; null at the end. */
            nextCursor: string | null;
        };
        /** @description Farms, with what lies in them. A member left out stays as it is, null clears it. */
        WrittenFarms: {
            farms: components["schemas"]["WrittenFarm"][];
        };
        /** @description The same as GeoJSON: each Feature with its structureType and the IDs of its parents. */
        WrittenFeatureCollection: {
            /** @constant */
            type: "FeatureCollection";
            features: {
                /** @constant */
                type: "Feature";
                /** Format: uuid */
                id: string;
                geometry?: components["schemas"]["Polygon"] | components["schemas"]["MultiPolygon"] | components["schemas"]["Point"] | components["schemas"]["LineString"] | null;
                /** @description The members of the structure, without its geometry. */
                properties: {
                    /** @enum {string} */
                    structureType: "farm" | "field" | "irrigationStation" | "block";
                    /** Format: uuid */
                    farmId?: string;
                    /** Format: uuid */
                    fieldId?: string;
                };
            }[];
        };
        /** @description A farmer's own farms. */
        OwnStructures: {
            /** @description By ID. */
            farms: components["schemas"]["Farm"][];
        };
        /** @description An organization's farms. */
        OrganizationStructures: {
            /** Format: uuid */
            organizationId: string;
            organizationName: string;
            /** @description By ID. */
            farms: components["schemas"]["Farm"][];
        };
        /** @description The farms that a module may read. */
        ModuleStructures: {
            /** Format: uuid */
            moduleId: string;
            /** @description By ID. */
            organizations: components["schemas"]["OrganizationStructures"][];
            /** @description What `cursor` is to be for the next page; null at the end. */
            nextCursor: string | null;
        };
        /** @description What became of the structures of the body. */
        WrittenResult: {
            created: number;
            updated: number;
            unchanged: number;
        };
    };
    responses: {
        /** @description `auth-api-key-invalid`: It is malformed, unknown, expired or revoked; the answer is the same for each. */
        "auth-api-key-invalid": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                /** @description What the call needs (RFC 9110, 11.6.1). */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/auth-api-key-invalid";
                    /** @constant */
                    status?: 401;
                } & components["schemas"]["Problem"];
            };
        };
        /**
         * @description `auth-data-area-missing`: The call reads data of an area that the module does not declare.
         *
         *     `auth-forbidden`: It holds no membership or role that the call needs, or the organization is of the wrong kind.
         */
        "auth-data-area-missing.auth-forbidden": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                /** @description The limits of the key and of its organization. */
                "RateLimit-Policy"?: string;
                /** @description What is left of them in this minute. */
                RateLimit?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/auth-data-area-missing" | "/problems/auth-forbidden";
                    /** @constant */
                    status?: 403;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `auth-forbidden`: It holds no membership or role that the call needs, or the organization is of the wrong kind. */
        "auth-forbidden": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                /** @description The limits of the key and of its organization. */
                "RateLimit-Policy"?: string;
                /** @description What is left of them in this minute. */
                RateLimit?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/auth-forbidden";
                    /** @constant */
                    status?: 403;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `auth-token-invalid`: The call needs a bearer token of the configured issuer: signed, for this audience, not expired. */
        "auth-token-invalid": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                /** @description What the call needs (RFC 9110, 11.6.1). */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/auth-token-invalid";
                    /** @constant */
                    status?: 401;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `import-cancelled`: Somebody cancelled it while it was queued. Nothing was stored. */
        "import-cancelled": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                /** @description Address of what was made, or of the import. */
                Location: string;
                /** @description What of `Prefer` was heeded (RFC 7240). */
                "Preference-Applied"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/import-cancelled";
                    /** @constant */
                    status?: 409;
                } & components["schemas"]["Problem"];
            };
        };
        /**
         * @description `import-deadline-exceeded`: The package was received, but its import did not end within the time that one may take.
         *
         *     `import-failed`: The package was received, but the service could not finish the import. An operator can try it again.
         *
         *     `unavailable`: A part of the service is out of reach or busy. The fault is ours.
         */
        "import-deadline-exceeded.import-failed.unavailable": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                /** @description After how many seconds to try again. */
                "Retry-After": number;
                /** @description Address of what was made, or of the import. */
                Location?: string;
                /** @description What of `Prefer` was heeded (RFC 7240). */
                "Preference-Applied"?: string;
                /** @description The limits of the key and of its organization. */
                "RateLimit-Policy"?: string;
                /** @description What is left of them in this minute. */
                RateLimit?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/import-deadline-exceeded" | "/problems/import-failed" | "/problems/unavailable";
                    /** @constant */
                    status?: 503;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `import-not-cancellable`: Only a queued import can be cancelled. */
        "import-not-cancellable": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/import-not-cancellable";
                    /** @constant */
                    status?: 409;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `import-not-retryable`: Only an import that failed on our side, and whose upload is still kept, can be retried. */
        "import-not-retryable": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/import-not-retryable";
                    /** @constant */
                    status?: 409;
                } & components["schemas"]["Problem"];
            };
        };
        /**
         * @description `import-rejected`: The package breaks one rule or more; `errors` lists them, each with its place. Nothing was stored.
         *
         *     `request-file-missing`: The body must be multipart/form-data with exactly one field, named file, that holds the ZIP.
         *
         *     `request-invalid`: A parameter, header or member of the body is missing or against its rule.
         */
        "import-rejected.request-file-missing.request-invalid": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                /** @description Address of what was made, or of the import. */
                Location?: string;
                /** @description What of `Prefer` was heeded (RFC 7240). */
                "Preference-Applied"?: string;
                /** @description The limits of the key and of its organization. */
                "RateLimit-Policy"?: string;
                /** @description What is left of them in this minute. */
                RateLimit?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/import-rejected" | "/problems/request-file-missing" | "/problems/request-invalid";
                    /** @constant */
                    status?: 400;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `import-still-running`: It did not end within the time that the server waits. It goes on. */
        "import-still-running": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                /** @description After how many seconds to try again. */
                "Retry-After": number;
                /** @description Address of what was made, or of the import. */
                Location: string;
                /** @description What of `Prefer` was heeded (RFC 7240). */
                "Preference-Applied"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/import-still-running";
                    /** @constant */
                    status?: 504;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `not-found`: There is nothing at this address, or not for this organization. */
        "not-found": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/not-found";
                    /** @constant */
                    status?: 404;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `organization-fixed`: The organization exists with another kind or tenant. */
        "organization-fixed": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/organization-fixed";
                    /** @constant */
                    status?: 409;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `rate-limited`: A limit of the organization or key is reached. Retry-After says when to try again. */
        "rate-limited": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                /** @description After how many seconds to try again. */
                "Retry-After": number;
                /** @description The limits of the key and of its organization. */
                "RateLimit-Policy"?: string;
                /** @description What is left of them in this minute. */
                RateLimit?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/rate-limited";
                    /** @constant */
                    status?: 429;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `registry-revision-changed`: The revision in If-Match is not the current revision of the module. */
        "registry-revision-changed": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                /** @description Address of what was made, or of the import. */
                Location: string;
                /** @description What of `Prefer` was heeded (RFC 7240). */
                "Preference-Applied"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/registry-revision-changed";
                    /** @constant */
                    status?: 412;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `request-idempotency-mismatch`: A key stands for one upload, told by its content. */
        "request-idempotency-mismatch": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/request-idempotency-mismatch";
                    /** @constant */
                    status?: 422;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `request-invalid`: A parameter, header or member of the body is missing or against its rule. */
        "request-invalid": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                /** @description The limits of the key and of its organization. */
                "RateLimit-Policy"?: string;
                /** @description What is left of them in this minute. */
                RateLimit?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/request-invalid";
                    /** @constant */
                    status?: 400;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `request-too-large`: The body is over the limit. The limits are at /api/v8.0/limits. */
        "request-too-large": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                /** @description The limits of the key and of its organization. */
                "RateLimit-Policy"?: string;
                /** @description What is left of them in this minute. */
                RateLimit?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/request-too-large";
                    /** @constant */
                    status?: 413;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `request-too-slow`: Nothing arrived for 60 seconds, or less than 16 KiB/s. */
        "request-too-slow": {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/request-too-slow";
                    /** @constant */
                    status?: 408;
                } & components["schemas"]["Problem"];
            };
        };
        /** @description `unavailable`: A part of the service is out of reach or busy. The fault is ours. */
        unavailable: {
            headers: {
                /** @description Names the request in the logs; taken from `traceparent`, or made. */
                "X-Trace-Id": string;
                /** @description Whether the answer may be kept, and how long. */
                "Cache-Control": string;
                /** @description After how many seconds to try again. */
                "Retry-After": number;
                /** @description The limits of the key and of its organization. */
                "RateLimit-Policy"?: string;
                /** @description What is left of them in this minute. */
                RateLimit?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @enum {unknown} */
                    type?: "/problems/unavailable";
                    /** @constant */
                    status?: 503;
                } & components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    importModule: {
        parameters: {
            query?: {
                /** @description Check the package by every rule and store nothing. */
                validateOnly?: boolean;
            };
            header?: {
                /** @description `respond-async`: answer 202 at once; `wait=N`: after N seconds at most (RFC 7240). */
                Prefer?: string;
                /** @description Stands for this upload in the organization for 7 days: sent again, it gives the same import. */
                "Idempotency-Key"?: string;
                /** @description The current revision of the module in quotes; `*`: the module exists. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
            };
            cookie?: never;
        };
        /** @description One field named `file` that holds the ZIP; its content decides, not its name. */
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The package.
                     */
                    file: string;
                };
            };
        };
        responses: {
            /** @description The import succeeded. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description What of `Prefer` was heeded (RFC 7240). */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "importId": "3f2504e0-4f89-41d3-9a0c-000000000005",
                     *       "status": "succeeded",
                     *       "outcome": "created",
                     *       "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "moduleVersion": 0.1,
                     *       "revision": 1,
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["ImportSuccess"];
                };
            };
            /** @description The import goes on; Location has it. */
            202: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Address of what was made, or of the import. */
                    Location: string;
                    /** @description What of `Prefer` was heeded (RFC 7240). */
                    "Preference-Applied": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "importId": "3f2504e0-4f89-41d3-9a0c-000000000003",
                     *       "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000004",
                     *       "status": "queued",
                     *       "validateOnly": false,
                     *       "outcome": null,
                     *       "moduleId": null,
                     *       "moduleVersion": null,
                     *       "revision": null,
                     *       "errors": [],
                     *       "warnings": [],
                     *       "errorsTotal": 0,
                     *       "progress": {
                     *         "step": "queued",
                     *         "completed": 0,
                     *         "total": 0
                     *       },
                     *       "fileName": "package.zip",
                     *       "sizeBytes": 2048,
                     *       "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "startedAt": null,
                     *       "finishedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Import"];
                };
            };
            400: components["responses"]["import-rejected.request-file-missing.request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            408: components["responses"]["request-too-slow"];
            409: components["responses"]["import-cancelled"];
            412: components["responses"]["registry-revision-changed"];
            413: components["responses"]["request-too-large"];
            422: components["responses"]["request-idempotency-mismatch"];
            429: components["responses"]["rate-limited"];
            503: components["responses"]["import-deadline-exceeded.import-failed.unavailable"];
            504: components["responses"]["import-still-running"];
        };
    };
    listImports: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                /** @description Only those in this status. */
                status?: "queued" | "running" | "succeeded" | "rejected" | "failed" | "cancelled";
                /** @description Only those of this module. */
                moduleId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of imports. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "importId": "3f2504e0-4f89-41d3-9a0c-000000000005",
                     *           "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000004",
                     *           "status": "succeeded",
                     *           "validateOnly": false,
                     *           "outcome": "created",
                     *           "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *           "moduleVersion": 0.1,
                     *           "revision": 1,
                     *           "errors": [],
                     *           "warnings": [],
                     *           "errorsTotal": 0,
                     *           "progress": {
                     *             "step": "writing",
                     *             "completed": 8,
                     *             "total": 8
                     *           },
                     *           "fileName": "package.zip",
                     *           "sizeBytes": 2048,
                     *           "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *           "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *           "startedAt": "2027-11-20T09:30:00.000+00:00",
                     *           "finishedAt": "2027-11-20T09:30:00.000+00:00"
                     *         }
                     *       ],
                     *       "nextCursor": "MjAyNy0xMS0yMFQwOTozMDowMC4wMDBa"
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Import"][];
                        /** @description What `cursor` is to be for the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    readImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The import.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                importId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The import, a rejected one too. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "importId": "3f2504e0-4f89-41d3-9a0c-000000000005",
                     *       "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000004",
                     *       "status": "succeeded",
                     *       "validateOnly": false,
                     *       "outcome": "created",
                     *       "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "moduleVersion": 0.1,
                     *       "revision": 1,
                     *       "errors": [],
                     *       "warnings": [],
                     *       "errorsTotal": 0,
                     *       "progress": {
                     *         "step": "writing",
                     *         "completed": 8,
                     *         "total": 8
                     *       },
                     *       "fileName": "package.zip",
                     *       "sizeBytes": 2048,
                     *       "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "startedAt": "2027-11-20T09:30:00.000+00:00",
                     *       "finishedAt": "2027-11-20T09:30:00.000+00:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Import"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    watchImport: {
        parameters: {
            query?: never;
            header?: {
                /** @description The last event that the client has seen. */
                "Last-Event-ID"?: string;
            };
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The import.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                importId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description Asks proxies to pass events on at once. */
                    "X-Accel-Buffering": string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ImportEvent"];
                };
            };
            /** @description The import has ended and the client has seen it: there is nothing more to come. */
            204: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    cancelImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The import.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                importId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cancelled import. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "importId": "3f2504e0-4f89-41d3-9a0c-000000000003",
                     *       "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000004",
                     *       "status": "cancelled",
                     *       "validateOnly": false,
                     *       "outcome": null,
                     *       "moduleId": null,
                     *       "moduleVersion": null,
                     *       "revision": null,
                     *       "errors": [],
                     *       "warnings": [],
                     *       "errorsTotal": 0,
                     *       "progress": {
                     *         "step": "queued",
                     *         "completed": 0,
                     *         "total": 0
                     *       },
                     *       "fileName": "package.zip",
                     *       "sizeBytes": 2048,
                     *       "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "startedAt": null,
                     *       "finishedAt": "2027-11-20T09:30:00.000+00:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Import"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            409: components["responses"]["import-not-cancellable"];
            503: components["responses"]["unavailable"];
        };
    };
    listModules: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of modules. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *           "scope": null,
                     *           "moduleName": "Soil moisture",
                     *           "translations": [
                     *             {
                     *               "shortName": null,
                     *               "languageId": "f61a6a1d-cf4f-5538-b036-da98ac9c0818",
                     *               "moduleName": "Soil moisture"
                     *             }
                     *           ],
                     *           "logos": [
                     *             {
                     *               "path": "ModuleLogo/logo.png",
                     *               "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *               "mediaType": "image/png"
                     *             }
                     *           ],
                     *           "moduleVersion": 0.1,
                     *           "revision": 1,
                     *           "lastImport": null,
                     *           "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *           "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["ModuleSummary"][];
                        /** @description What `cursor` is to be for the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    readModule: {
        parameters: {
            query?: {
                /** @description A revision other than the current one. */
                revision?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revision. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag?: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "revision": 1,
                     *       "currentRevision": 1,
                     *       "moduleVersion": 0.1,
                     *       "importId": "3f2504e0-4f89-41d3-9a0c-000000000005",
                     *       "descriptor": {
                     *         "scope": null,
                     *         "schema": "1.0",
                     *         "typeId": null,
                     *         "cropIds": [],
                     *         "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *         "parentId": null,
                     *         "component": null,
                     *         "categoryId": null,
                     *         "dataAreaIds": [
                     *           "3e72d88d-cff7-501b-b05d-55a417166023",
                     *           "752b7109-d943-54da-ae0e-3355173a4489"
                     *         ],
                     *         "moduleFiles": [
                     *           {
                     *             "file": "ModuleToS/terms.md",
                     *             "countryId": "US",
                     *             "languageId": "en",
                     *             "documentTypeId": null
                     *           },
                     *           {
                     *             "file": "ModulePrivacy/privacy.md",
                     *             "countryId": "US",
                     *             "languageId": "en",
                     *             "documentTypeId": null
                     *           },
                     *           {
                     *             "file": "ModuleLogo/logo.png",
                     *             "countryId": null,
                     *             "languageId": null,
                     *             "documentTypeId": null
                     *           }
                     *         ],
                     *         "dependencies": [],
                     *         "entryFileUrl": null,
                     *         "translations": [
                     *           {
                     *             "shortName": null,
                     *             "languageId": "f61a6a1d-cf4f-5538-b036-da98ac9c0818",
                     *             "moduleName": "Soil moisture",
                     *             "websiteUrl": null,
                     *             "description": null,
                     *             "websiteName": null,
                     *             "supportContact": null,
                     *             "shortDescription": null
                     *           }
                     *         ],
                     *         "hostingTypeId": null,
                     *         "moduleVersion": 0.1,
                     *         "offlineReason": null,
                     *         "deploymentType": null,
                     *         "environmentIds": [],
                     *         "requirementIds": [],
                     *         "federationTypeId": null,
                     *         "paymentOptionIds": [],
                     *         "offlineCapability": null,
                     *         "subscriptionOptions": [],
                     *         "vendorInternalCodeVersion": null,
                     *         "environmentVariables": []
                     *       },
                     *       "roles": {
                     *         "data": [
                     *           {
                     *             "name": "Readings",
                     *             "intention": "Charts",
                     *             "entityType": null,
                     *             "internalOnly": true,
                     *             "environmentKey": null
                     *           }
                     *         ],
                     *         "roles": [
                     *           {
                     *             "name": "Agronomist",
                     *             "baseRoles": [
                     *               "Member"
                     *             ],
                     *             "entityType": null,
                     *             "permissions": {
                     *               "fields": [
                     *                 "read"
                     *               ]
                     *             }
                     *           }
                     *         ]
                     *       },
                     *       "alertRules": {
                     *         "schema": 1.1,
                     *         "criterias": {
                     *           "temperature": {
                     *             "displayName": {
                     *               "en": "Temperature"
                     *             },
                     *             "description": {
                     *               "en": "Air temperature at two metres"
                     *             },
                     *             "parts": {
                     *               "operator": {
                     *                 "field": "select",
                     *                 "title": {
                     *                   "en": "Operator"
                     *                 },
                     *                 "options": {
                     *                   "gt": {
                     *                     "en": "greater than"
                     *                   },
                     *                   "lt": {
                     *                     "en": "less than"
                     *                   }
                     *                 },
                     *                 "min": null,
                     *                 "max": null,
                     *                 "unit": null
                     *               },
                     *               "value": {
                     *                 "field": "number",
                     *                 "title": {
                     *                   "en": "Value"
                     *                 },
                     *                 "options": null,
                     *                 "min": -50,
                     *                 "max": 60,
                     *                 "unit": "°C"
                     *               }
                     *             }
                     *           }
                     *         }
                     *       },
                     *       "files": [
                     *         {
                     *           "path": "AlertRuleDefinitionFile/alert-rules.yaml",
                     *           "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *           "mediaType": "application/yaml",
                     *           "sizeBytes": 353
                     *         },
                     *         {
                     *           "path": "ModuleLogo/logo.png",
                     *           "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *           "mediaType": "image/png",
                     *           "sizeBytes": 70
                     *         },
                     *         {
                     *           "path": "ModulePrivacy/privacy.md",
                     *           "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *           "mediaType": "text/markdown",
                     *           "sizeBytes": 10
                     *         },
                     *         {
                     *           "path": "ModuleSpecificRolesEntitiesDefinition/roles.json",
                     *           "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *           "mediaType": "application/json",
                     *           "sizeBytes": 160
                     *         },
                     *         {
                     *           "path": "ModuleToS/terms.md",
                     *           "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *           "mediaType": "text/markdown",
                     *           "sizeBytes": 8
                     *         },
                     *         {
                     *           "path": "PackageArtifact/build/assets/index-4f2a91c7.js",
                     *           "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *           "mediaType": "text/javascript",
                     *           "sizeBytes": 30
                     *         },
                     *         {
                     *           "path": "PackageArtifact/build/index.html",
                     *           "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *           "mediaType": "text/html",
                     *           "sizeBytes": 43
                     *         }
                     *       ],
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Module"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    deleteModule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    listRevisions: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of revisions. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "revision": 1,
                     *           "importId": "3f2504e0-4f89-41d3-9a0c-000000000005",
                     *           "files": 7,
                     *           "sizeBytes": 674,
                     *           "createdAt": "2027-11-20T09:30:00.000+00:00"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Revision"][];
                        /** @description What `cursor` is to be for the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    readModuleFile: {
        parameters: {
            query?: {
                /** @description A revision other than the current one. */
                revision?: number;
            };
            header?: {
                /** @description The `ETag` of what the caller has; if nothing has changed, the answer is 304. */
                "If-None-Match"?: string;
                /** @description With `gzip`, a file that is deflated in the package comes as it is there. */
                "Accept-Encoding"?: string;
                /** @description One range of bytes, such as `bytes=0-1023` (RFC 9110, 14.2). */
                Range?: string;
                /** @description The `ETag` that the range is of. */
                "If-Range"?: string;
            };
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
                /**
                 * @description Path of the file in the package; its slashes stand as they are.
                 * @example ModuleToS/terms.md
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, with its own media type; as gzip where that was accepted. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description `bytes` where a range can be requested, else `none`. */
                    "Accept-Ranges": string;
                    /** @description Raster images are shown in place; other files are saved. */
                    "Content-Disposition": string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The requested range, of a file that is not compressed in the package. */
            206: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description `bytes` where a range can be requested, else `none`. */
                    "Accept-Ranges": string;
                    /** @description Raster images are shown in place; other files are saved. */
                    "Content-Disposition": string;
                    /** @description Which bytes of how many. */
                    "Content-Range": string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The caller has this version. */
            304: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description `bytes` where a range can be requested, else `none`. */
                    "Accept-Ranges": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            /** @description The file is shorter than that. */
            416: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description `bytes` where a range can be requested, else `none`. */
                    "Accept-Ranges": string;
                    /** @description Which bytes of how many. */
                    "Content-Range": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: components["responses"]["unavailable"];
        };
    };
    exportModule: {
        parameters: {
            query?: {
                /** @description A revision other than the current one. */
                revision?: number;
                /** @description Whether to leave out module ID and scope, for another organization. */
                asNew?: boolean;
            };
            header?: {
                /** @description The `ETag` of what the caller has; if nothing has changed, the answer is 304. */
                "If-None-Match"?: string;
                /** @description One range of bytes, such as `bytes=0-1023` (RFC 9110, 14.2). */
                Range?: string;
                /** @description The `ETag` that the range is of. */
                "If-Range"?: string;
            };
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The package. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description `bytes` where a range can be requested, else `none`. */
                    "Accept-Ranges": string;
                    /** @description Raster images are shown in place; other files are saved. */
                    "Content-Disposition": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": unknown;
                };
            };
            /** @description The requested range, to resume a download. */
            206: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description `bytes` where a range can be requested, else `none`. */
                    "Accept-Ranges": string;
                    /** @description Raster images are shown in place; other files are saved. */
                    "Content-Disposition": string;
                    /** @description Which bytes of how many. */
                    "Content-Range": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": unknown;
                };
            };
            /** @description The caller has this version. */
            304: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description `bytes` where a range can be requested, else `none`. */
                    "Accept-Ranges": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            /** @description The package is shorter than that. */
            416: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description `bytes` where a range can be requested, else `none`. */
                    "Accept-Ranges": string;
                    /** @description Which bytes of how many. */
                    "Content-Range": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["rate-limited"];
            503: components["responses"]["unavailable"];
        };
    };
    registerApiClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        /** @description What differs from the usual. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "clientName": "Back end"
                 *     }
                 */
                "application/json": components["schemas"]["RegisterApiClient"];
            };
        };
        responses: {
            /** @description The client with its key. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "clientSecret": "mmk_0000000000000000000000000000000000000000000000000",
                     *       "clientName": "Back end",
                     *       "parentId": "3f2504e0-4f89-41d3-9a0c-000000000004",
                     *       "clientId": "3f2504e0-4f89-41d3-9a0c-000000000007",
                     *       "expiresOn": "2027-11-20T09:30:00.000+00:00",
                     *       "id": "3f2504e0-4f89-41d3-9a0c-000000000008"
                     *     }
                     */
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            413: components["responses"]["request-too-large"];
            503: components["responses"]["unavailable"];
        };
    };
    listApiClients: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000008",
                     *           "clientId": "3f2504e0-4f89-41d3-9a0c-000000000007",
                     *           "clientName": "Back end",
                     *           "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *           "parentId": "3f2504e0-4f89-41d3-9a0c-000000000004",
                     *           "secretStart": "mmk_00000000",
                     *           "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *           "expiresOn": "2027-11-20T09:30:00.000+00:00",
                     *           "revokedOn": null,
                     *           "lastUsedOn": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["ApiKey"][];
                        /** @description What `cursor` is to be for the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    revokeApiClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
                /**
                 * @description The API client.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    rotateApiClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
                /**
                 * @description The API client.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                clientId: string;
            };
            cookie?: never;
        };
        /** @description How long both keys work. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlapSeconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["RotateApiClient"];
            };
        };
        responses: {
            /** @description The client with its new key. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "clientSecret": "mmk_0000000000000000000000000000000000000000000000000",
                     *       "clientName": "Back end",
                     *       "parentId": "3f2504e0-4f89-41d3-9a0c-000000000004",
                     *       "clientId": "3f2504e0-4f89-41d3-9a0c-000000000007",
                     *       "expiresOn": "2027-11-20T09:30:00.000+00:00",
                     *       "id": "3f2504e0-4f89-41d3-9a0c-000000000009"
                     *     }
                     */
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            413: components["responses"]["request-too-large"];
            503: components["responses"]["unavailable"];
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000010",
                     *           "at": "2027-11-20T09:30:00.000+00:00",
                     *           "actor": "tester",
                     *           "action": "apiClient.rotated",
                     *           "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *           "clientId": "3f2504e0-4f89-41d3-9a0c-000000000007",
                     *           "traceId": "0af7651916cd43dd8448eb211c80319c"
                     *         },
                     *         {
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000011",
                     *           "at": "2027-11-20T09:30:00.000+00:00",
                     *           "actor": "tester",
                     *           "action": "apiClient.registered",
                     *           "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *           "clientId": "3f2504e0-4f89-41d3-9a0c-000000000007",
                     *           "traceId": "0af7651916cd43dd8448eb211c80319c"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["AuditEntry"][];
                        /** @description What `cursor` is to be for the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    readModuleStructures: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                /** @description Only those of this organization. */
                organizationId?: string;
                /** @description Whether archived structures are told too. */
                includeArchived?: boolean;
            };
            header?: {
                /** @description The `ETag` of what the caller has; if nothing has changed, the answer is 304. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The structures, in the form that `Accept` asks for: JSON, NDJSON with one organization a line, or GeoJSON. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description Address of the next page, as `rel="next"`. */
                    Link?: string;
                    /** @description The limits of the key and of its organization. */
                    "RateLimit-Policy"?: string;
                    /** @description What is left of them in this minute. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "organizations": [
                     *         {
                     *           "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *           "organizationName": "farmer 3f2504e0-4f89-41d3-9a0c-000000000016",
                     *           "farms": [
                     *             {
                     *               "id": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *               "name": "Home farm",
                     *               "code": null,
                     *               "status": "active",
                     *               "externalIds": [],
                     *               "countryCode": null,
                     *               "timeZone": null,
                     *               "location": null,
                     *               "areaM2": 794682.17,
                     *               "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *               "updatedAt": "2027-11-20T09:30:00.000+00:00",
                     *               "boundary": {
                     *                 "type": "Polygon",
                     *                 "coordinates": [
                     *                   [
                     *                     [
                     *                       10,
                     *                       50
                     *                     ],
                     *                     [
                     *                       10.01,
                     *                       50
                     *                     ],
                     *                     [
                     *                       10.01,
                     *                       50.01
                     *                     ],
                     *                     [
                     *                       10,
                     *                       50.01
                     *                     ],
                     *                     [
                     *                       10,
                     *                       50
                     *                     ]
                     *                   ]
                     *                 ]
                     *               },
                     *               "fields": [
                     *                 {
                     *                   "id": "3f2504e0-4f89-41d3-9a0c-000000000013",
                     *                   "farmId": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *                   "name": "Long acre",
                     *                   "code": null,
                     *                   "status": "active",
                     *                   "externalIds": [],
                     *                   "areaM2": 794682.17,
                     *                   "arableAreaM2": null,
                     *                   "soilTextureType": null,
                     *                   "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *                   "updatedAt": "2027-11-20T09:30:00.000+00:00",
                     *                   "boundary": {
                     *                     "type": "Polygon",
                     *                     "coordinates": [
                     *                       [
                     *                         [
                     *                           10,
                     *                           50
                     *                         ],
                     *                         [
                     *                           10.01,
                     *                           50
                     *                         ],
                     *                         [
                     *                           10.01,
                     *                           50.01
                     *                         ],
                     *                         [
                     *                           10,
                     *                           50.01
                     *                         ],
                     *                         [
                     *                           10,
                     *                           50
                     *                         ]
                     *                       ]
                     *                     ]
                     *                   },
                     *                   "blocks": [
                     *                     {
                     *                       "id": "3f2504e0-4f89-41d3-9a0c-000000000014",
                     *                       "fieldId": "3f2504e0-4f89-41d3-9a0c-000000000013",
                     *                       "farmId": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *                       "name": "North",
                     *                       "code": null,
                     *                       "status": "active",
                     *                       "externalIds": [],
                     *                       "areaM2": 794682.17,
                     *                       "cropId": null,
                     *                       "plantedAt": null,
                     *                       "rowSpacingM": null,
                     *                       "plantSpacingM": null,
                     *                       "irrigationSystemType": null,
                     *                       "irrigationStationIds": [],
                     *                       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *                       "updatedAt": "2027-11-20T09:30:00.000+00:00",
                     *                       "geometry": {
                     *                         "type": "Polygon",
                     *                         "coordinates": [
                     *                           [
                     *                             [
                     *                               10,
                     *                               50
                     *                             ],
                     *                             [
                     *                               10.01,
                     *                               50
                     *                             ],
                     *                             [
                     *                               10.01,
                     *                               50.01
                     *                             ],
                     *                             [
                     *                               10,
                     *                               50.01
                     *                             ],
                     *                             [
                     *                               10,
                     *                               50
                     *                             ]
                     *                           ]
                     *                         ]
                     *                       }
                     *                     }
                     *                   ]
                     *                 }
                     *               ],
                     *               "irrigationStations": [
                     *                 {
                     *                   "id": "3f2504e0-4f89-41d3-9a0c-000000000015",
                     *                   "farmId": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *                   "name": "Pump house",
                     *                   "code": null,
                     *                   "status": "active",
                     *                   "externalIds": [],
                     *                   "kind": "pump",
                     *                   "waterSource": null,
                     *                   "maxFlowM3PerHour": null,
                     *                   "nominalPressureKPa": null,
                     *                   "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *                   "updatedAt": "2027-11-20T09:30:00.000+00:00",
                     *                   "location": {
                     *                     "type": "Point",
                     *                     "coordinates": [
                     *                       10,
                     *                       50
                     *                     ]
                     *                   }
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["ModuleStructures"];
                    /** @example {"organizationId":"3f2504e0-4f89-41d3-9a0c-000000000016","organizationName":"farmer 3f2504e0-4f89-41d3-9a0c-000000000016","farms":[{"id":"3f2504e0-4f89-41d3-9a0c-000000000012","name":"Home farm","code":null,"status":"active","externalIds":[],"countryCode":null,"timeZone":null,"location":null,"areaM2":794682.17,"createdAt":"2027-11-20T09:30:00.000+00:00","updatedAt":"2027-11-20T09:30:00.000+00:00","boundary":{"type":"Polygon","coordinates":[[[10,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50]]]},"fields":[{"id":"3f2504e0-4f89-41d3-9a0c-000000000013","farmId":"3f2504e0-4f89-41d3-9a0c-000000000012","name":"Long acre","code":null,"status":"active","externalIds":[],"areaM2":794682.17,"arableAreaM2":null,"soilTextureType":null,"createdAt":"2027-11-20T09:30:00.000+00:00","updatedAt":"2027-11-20T09:30:00.000+00:00","boundary":{"type":"Polygon","coordinates":[[[10,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50]]]},"blocks":[{"id":"3f2504e0-4f89-41d3-9a0c-000000000014","fieldId":"3f2504e0-4f89-41d3-9a0c-000000000013","farmId":"3f2504e0-4f89-41d3-9a0c-000000000012","name":"North","code":null,"status":"active","externalIds":[],"areaM2":794682.17,"cropId":null,"plantedAt":null,"rowSpacingM":null,"plantSpacingM":null,"irrigationSystemType":null,"irrigationStationIds":[],"createdAt":"2027-11-20T09:30:00.000+00:00","updatedAt":"2027-11-20T09:30:00.000+00:00","geometry":{"type":"Polygon","coordinates":[[[10,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50]]]}}]}],"irrigationStations":[{"id":"3f2504e0-4f89-41d3-9a0c-000000000015","farmId":"3f2504e0-4f89-41d3-9a0c-000000000012","name":"Pump house","code":null,"status":"active","externalIds":[],"kind":"pump","waterSource":null,"maxFlowM3PerHour":null,"nominalPressureKPa":null,"createdAt":"2027-11-20T09:30:00.000+00:00","updatedAt":"2027-11-20T09:30:00.000+00:00","location":{"type":"Point","coordinates":[10,50]}}]}]} */
                    "application/x-ndjson": string;
                    /**
                     * @example {
                     *       "type": "FeatureCollection",
                     *       "features": [
                     *         {
                     *           "type": "Feature",
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *           "geometry": {
                     *             "type": "Polygon",
                     *             "coordinates": [
                     *               [
                     *                 [
                     *                   10,
                     *                   50
                     *                 ],
                     *                 [
                     *                   10.01,
                     *                   50
                     *                 ],
                     *                 [
                     *                   10.01,
                     *                   50.01
                     *                 ],
                     *                 [
                     *                   10,
                     *                   50.01
                     *                 ],
                     *                 [
                     *                   10,
                     *                   50
                     *                 ]
                     *               ]
                     *             ]
                     *           },
                     *           "properties": {
                     *             "structureType": "farm",
                     *             "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *             "id": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *             "name": "Home farm",
                     *             "code": null,
                     *             "status": "active",
                     *             "externalIds": [],
                     *             "countryCode": null,
                     *             "timeZone": null,
                     *             "location": null,
                     *             "areaM2": 794682.17,
                     *             "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *             "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *           }
                     *         },
                     *         {
                     *           "type": "Feature",
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000013",
                     *           "geometry": {
                     *             "type": "Polygon",
                     *             "coordinates": [
                     *               [
                     *                 [
                     *                   10,
                     *                   50
                     *                 ],
                     *                 [
                     *                   10.01,
                     *                   50
                     *                 ],
                     *                 [
                     *                   10.01,
                     *                   50.01
                     *                 ],
                     *                 [
                     *                   10,
                     *                   50.01
                     *                 ],
                     *                 [
                     *                   10,
                     *                   50
                     *                 ]
                     *               ]
                     *             ]
                     *           },
                     *           "properties": {
                     *             "structureType": "field",
                     *             "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *             "id": "3f2504e0-4f89-41d3-9a0c-000000000013",
                     *             "farmId": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *             "name": "Long acre",
                     *             "code": null,
                     *             "status": "active",
                     *             "externalIds": [],
                     *             "areaM2": 794682.17,
                     *             "arableAreaM2": null,
                     *             "soilTextureType": null,
                     *             "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *             "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *           }
                     *         },
                     *         {
                     *           "type": "Feature",
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000014",
                     *           "geometry": {
                     *             "type": "Polygon",
                     *             "coordinates": [
                     *               [
                     *                 [
                     *                   10,
                     *                   50
                     *                 ],
                     *                 [
                     *                   10.01,
                     *                   50
                     *                 ],
                     *                 [
                     *                   10.01,
                     *                   50.01
                     *                 ],
                     *                 [
                     *                   10,
                     *                   50.01
                     *                 ],
                     *                 [
                     *                   10,
                     *                   50
                     *                 ]
                     *               ]
                     *             ]
                     *           },
                     *           "properties": {
                     *             "structureType": "block",
                     *             "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *             "id": "3f2504e0-4f89-41d3-9a0c-000000000014",
                     *             "fieldId": "3f2504e0-4f89-41d3-9a0c-000000000013",
                     *             "farmId": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *             "name": "North",
                     *             "code": null,
                     *             "status": "active",
                     *             "externalIds": [],
                     *             "areaM2": 794682.17,
                     *             "cropId": null,
                     *             "plantedAt": null,
                     *             "rowSpacingM": null,
                     *             "plantSpacingM": null,
                     *             "irrigationSystemType": null,
                     *             "irrigationStationIds": [],
                     *             "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *             "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *           }
                     *         },
                     *         {
                     *           "type": "Feature",
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000015",
                     *           "geometry": {
                     *             "type": "Point",
                     *             "coordinates": [
                     *               10,
                     *               50
                     *             ]
                     *           },
                     *           "properties": {
                     *             "structureType": "irrigationStation",
                     *             "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *             "id": "3f2504e0-4f89-41d3-9a0c-000000000015",
                     *             "farmId": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *             "name": "Pump house",
                     *             "code": null,
                     *             "status": "active",
                     *             "externalIds": [],
                     *             "kind": "pump",
                     *             "waterSource": null,
                     *             "maxFlowM3PerHour": null,
                     *             "nominalPressureKPa": null,
                     *             "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *             "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/geo+json": components["schemas"]["ModuleFeatureCollection"];
                };
            };
            /** @description The caller has this version. */
            304: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description Address of the next page, as `rel="next"`. */
                    Link?: string;
                    /** @description The limits of the key and of its organization. */
                    "RateLimit-Policy"?: string;
                    /** @description What is left of them in this minute. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-api-key-invalid"];
            403: components["responses"]["auth-data-area-missing.auth-forbidden"];
            429: components["responses"]["rate-limited"];
            503: components["responses"]["unavailable"];
        };
    };
    readModuleAlertRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The definitions of the current revision. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description The limits of the key and of its organization. */
                    "RateLimit-Policy"?: string;
                    /** @description What is left of them in this minute. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "revision": 1,
                     *       "alertRules": {
                     *         "schema": 1.1,
                     *         "criterias": {
                     *           "temperature": {
                     *             "displayName": {
                     *               "en": "Temperature"
                     *             },
                     *             "description": {
                     *               "en": "Air temperature at two metres"
                     *             },
                     *             "parts": {
                     *               "operator": {
                     *                 "field": "select",
                     *                 "title": {
                     *                   "en": "Operator"
                     *                 },
                     *                 "options": {
                     *                   "gt": {
                     *                     "en": "greater than"
                     *                   },
                     *                   "lt": {
                     *                     "en": "less than"
                     *                   }
                     *                 },
                     *                 "min": null,
                     *                 "max": null,
                     *                 "unit": null
                     *               },
                     *               "value": {
                     *                 "field": "number",
                     *                 "title": {
                     *                   "en": "Value"
                     *                 },
                     *                 "options": null,
                     *                 "min": -50,
                     *                 "max": 60,
                     *                 "unit": "°C"
                     *               }
                     *             }
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ModuleAlertRules"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-api-key-invalid"];
            403: components["responses"]["auth-data-area-missing.auth-forbidden"];
            429: components["responses"]["rate-limited"];
            503: components["responses"]["unavailable"];
        };
    };
    listModuleRules: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                /** @description Only those of this organization. */
                organizationId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of rules. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description The limits of the key and of its organization. */
                    "RateLimit-Policy"?: string;
                    /** @description What is left of them in this minute. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000017",
                     *           "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *           "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *           "criteria": "temperature",
                     *           "values": {
                     *             "value": 2,
                     *             "operator": "lt"
                     *           },
                     *           "name": "Frost",
                     *           "enabled": true,
                     *           "status": "active",
                     *           "outdatedReasons": [],
                     *           "definitionRevision": 1,
                     *           "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *           "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["AlertRule"][];
                        /** @description What `cursor` is to be for the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-api-key-invalid"];
            403: components["responses"]["auth-data-area-missing.auth-forbidden"];
            429: components["responses"]["rate-limited"];
            503: components["responses"]["unavailable"];
        };
    };
    raiseAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        /** @description The alerts. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "alerts": [
                 *         {
                 *           "ruleId": "3f2504e0-4f89-41d3-9a0c-000000000017",
                 *           "target": {
                 *             "type": "farm",
                 *             "id": "3f2504e0-4f89-41d3-9a0c-000000000012"
                 *           },
                 *           "status": "firing",
                 *           "severity": "warning",
                 *           "startsAt": "2027-11-20T09:30:00.000+00:00",
                 *           "title": "Frost",
                 *           "message": "Two degrees at two metres.",
                 *           "value": 1.5,
                 *           "labels": {
                 *             "sensor": "north"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RaiseAlerts"];
            };
        };
        responses: {
            /** @description What became of each. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description The limits of the key and of its organization. */
                    "RateLimit-Policy"?: string;
                    /** @description What is left of them in this minute. */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "fingerprint": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000018",
                     *           "outcome": "created"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RaisedAlerts"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-api-key-invalid"];
            403: components["responses"]["auth-data-area-missing.auth-forbidden"];
            413: components["responses"]["request-too-large"];
            429: components["responses"]["rate-limited"];
            503: components["responses"]["unavailable"];
        };
    };
    readStructures: {
        parameters: {
            query?: {
                /** @description Whether archived structures are told too. */
                includeArchived?: boolean;
            };
            header?: {
                /** @description The `ETag` of what the caller has; if nothing has changed, the answer is 304. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The structures, in the form that `Accept` asks for: JSON, NDJSON with one organization a line, or GeoJSON. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "farms": [
                     *         {
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *           "name": "Home farm",
                     *           "code": null,
                     *           "status": "active",
                     *           "externalIds": [],
                     *           "countryCode": null,
                     *           "timeZone": null,
                     *           "location": null,
                     *           "areaM2": 794682.17,
                     *           "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *           "updatedAt": "2027-11-20T09:30:00.000+00:00",
                     *           "boundary": {
                     *             "type": "Polygon",
                     *             "coordinates": [
                     *               [
                     *                 [
                     *                   10,
                     *                   50
                     *                 ],
                     *                 [
                     *                   10.01,
                     *                   50
                     *                 ],
                     *                 [
                     *                   10.01,
                     *                   50.01
                     *                 ],
                     *                 [
                     *                   10,
                     *                   50.01
                     *                 ],
                     *                 [
                     *                   10,
                     *                   50
                     *                 ]
                     *               ]
                     *             ]
                     *           },
                     *           "fields": [
                     *             {
                     *               "id": "3f2504e0-4f89-41d3-9a0c-000000000013",
                     *               "farmId": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *               "name": "Long acre",
                     *               "code": null,
                     *               "status": "active",
                     *               "externalIds": [],
                     *               "areaM2": 794682.17,
                     *               "arableAreaM2": null,
                     *               "soilTextureType": null,
                     *               "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *               "updatedAt": "2027-11-20T09:30:00.000+00:00",
                     *               "boundary": {
                     *                 "type": "Polygon",
                     *                 "coordinates": [
                     *                   [
                     *                     [
                     *                       10,
                     *                       50
                     *                     ],
                     *                     [
                     *                       10.01,
                     *                       50
                     *                     ],
                     *                     [
                     *                       10.01,
                     *                       50.01
                     *                     ],
                     *                     [
                     *                       10,
                     *                       50.01
                     *                     ],
                     *                     [
                     *                       10,
                     *                       50
                     *                     ]
                     *                   ]
                     *                 ]
                     *               },
                     *               "blocks": [
                     *                 {
                     *                   "id": "3f2504e0-4f89-41d3-9a0c-000000000014",
                     *                   "fieldId": "3f2504e0-4f89-41d3-9a0c-000000000013",
                     *                   "farmId": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *                   "name": "North",
                     *                   "code": null,
                     *                   "status": "active",
                     *                   "externalIds": [],
                     *                   "areaM2": 794682.17,
                     *                   "cropId": null,
                     *                   "plantedAt": null,
                     *                   "rowSpacingM": null,
                     *                   "plantSpacingM": null,
                     *                   "irrigationSystemType": null,
                     *                   "irrigationStationIds": [],
                     *                   "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *                   "updatedAt": "2027-11-20T09:30:00.000+00:00",
                     *                   "geometry": {
                     *                     "type": "Polygon",
                     *                     "coordinates": [
                     *                       [
                     *                         [
                     *                           10,
                     *                           50
                     *                         ],
                     *                         [
                     *                           10.01,
                     *                           50
                     *                         ],
                     *                         [
                     *                           10.01,
                     *                           50.01
                     *                         ],
                     *                         [
                     *                           10,
                     *                           50.01
                     *                         ],
                     *                         [
                     *                           10,
                     *                           50
                     *                         ]
                     *                       ]
                     *                     ]
                     *                   }
                     *                 }
                     *               ]
                     *             }
                     *           ],
                     *           "irrigationStations": [
                     *             {
                     *               "id": "3f2504e0-4f89-41d3-9a0c-000000000015",
                     *               "farmId": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *               "name": "Pump house",
                     *               "code": null,
                     *               "status": "active",
                     *               "externalIds": [],
                     *               "kind": "pump",
                     *               "waterSource": null,
                     *               "maxFlowM3PerHour": null,
                     *               "nominalPressureKPa": null,
                     *               "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *               "updatedAt": "2027-11-20T09:30:00.000+00:00",
                     *               "location": {
                     *                 "type": "Point",
                     *                 "coordinates": [
                     *                   10,
                     *                   50
                     *                 ]
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OwnStructures"];
                    /** @example {"organizationId":"3f2504e0-4f89-41d3-9a0c-000000000016","organizationName":"farmer 3f2504e0-4f89-41d3-9a0c-000000000016","farms":[{"id":"3f2504e0-4f89-41d3-9a0c-000000000012","name":"Home farm","code":null,"status":"active","externalIds":[],"countryCode":null,"timeZone":null,"location":null,"areaM2":794682.17,"createdAt":"2027-11-20T09:30:00.000+00:00","updatedAt":"2027-11-20T09:30:00.000+00:00","boundary":{"type":"Polygon","coordinates":[[[10,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50]]]},"fields":[{"id":"3f2504e0-4f89-41d3-9a0c-000000000013","farmId":"3f2504e0-4f89-41d3-9a0c-000000000012","name":"Long acre","code":null,"status":"active","externalIds":[],"areaM2":794682.17,"arableAreaM2":null,"soilTextureType":null,"createdAt":"2027-11-20T09:30:00.000+00:00","updatedAt":"2027-11-20T09:30:00.000+00:00","boundary":{"type":"Polygon","coordinates":[[[10,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50]]]},"blocks":[{"id":"3f2504e0-4f89-41d3-9a0c-000000000014","fieldId":"3f2504e0-4f89-41d3-9a0c-000000000013","farmId":"3f2504e0-4f89-41d3-9a0c-000000000012","name":"North","code":null,"status":"active","externalIds":[],"areaM2":794682.17,"cropId":null,"plantedAt":null,"rowSpacingM":null,"plantSpacingM":null,"irrigationSystemType":null,"irrigationStationIds":[],"createdAt":"2027-11-20T09:30:00.000+00:00","updatedAt":"2027-11-20T09:30:00.000+00:00","geometry":{"type":"Polygon","coordinates":[[[10,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50]]]}}]}],"irrigationStations":[{"id":"3f2504e0-4f89-41d3-9a0c-000000000015","farmId":"3f2504e0-4f89-41d3-9a0c-000000000012","name":"Pump house","code":null,"status":"active","externalIds":[],"kind":"pump","waterSource":null,"maxFlowM3PerHour":null,"nominalPressureKPa":null,"createdAt":"2027-11-20T09:30:00.000+00:00","updatedAt":"2027-11-20T09:30:00.000+00:00","location":{"type":"Point","coordinates":[10,50]}}]}]} */
                    "application/x-ndjson": string;
                    /**
                     * @example {
                     *       "type": "FeatureCollection",
                     *       "features": [
                     *         {
                     *           "type": "Feature",
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *           "geometry": {
                     *             "type": "Polygon",
                     *             "coordinates": [
                     *               [
                     *                 [
                     *                   10,
                     *                   50
                     *                 ],
                     *                 [
                     *                   10.01,
                     *                   50
                     *                 ],
                     *                 [
                     *                   10.01,
                     *                   50.01
                     *                 ],
                     *                 [
                     *                   10,
                     *                   50.01
                     *                 ],
                     *                 [
                     *                   10,
                     *                   50
                     *                 ]
                     *               ]
                     *             ]
                     *           },
                     *           "properties": {
                     *             "structureType": "farm",
                     *             "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *             "id": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *             "name": "Home farm",
                     *             "code": null,
                     *             "status": "active",
                     *             "externalIds": [],
                     *             "countryCode": null,
                     *             "timeZone": null,
                     *             "location": null,
                     *             "areaM2": 794682.17,
                     *             "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *             "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *           }
                     *         },
                     *         {
                     *           "type": "Feature",
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000013",
                     *           "geometry": {
                     *             "type": "Polygon",
                     *             "coordinates": [
                     *               [
                     *                 [
                     *                   10,
                     *                   50
                     *                 ],
                     *                 [
                     *                   10.01,
                     *                   50
                     *                 ],
                     *                 [
                     *                   10.01,
                     *                   50.01
                     *                 ],
                     *                 [
                     *                   10,
                     *                   50.01
                     *                 ],
                     *                 [
                     *                   10,
                     *                   50
                     *                 ]
                     *               ]
                     *             ]
                     *           },
                     *           "properties": {
                     *             "structureType": "field",
                     *             "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *             "id": "3f2504e0-4f89-41d3-9a0c-000000000013",
                     *             "farmId": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *             "name": "Long acre",
                     *             "code": null,
                     *             "status": "active",
                     *             "externalIds": [],
                     *             "areaM2": 794682.17,
                     *             "arableAreaM2": null,
                     *             "soilTextureType": null,
                     *             "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *             "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *           }
                     *         },
                     *         {
                     *           "type": "Feature",
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000014",
                     *           "geometry": {
                     *             "type": "Polygon",
                     *             "coordinates": [
                     *               [
                     *                 [
                     *                   10,
                     *                   50
                     *                 ],
                     *                 [
                     *                   10.01,
                     *                   50
                     *                 ],
                     *                 [
                     *                   10.01,
                     *                   50.01
                     *                 ],
                     *                 [
                     *                   10,
                     *                   50.01
                     *                 ],
                     *                 [
                     *                   10,
                     *                   50
                     *                 ]
                     *               ]
                     *             ]
                     *           },
                     *           "properties": {
                     *             "structureType": "block",
                     *             "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *             "id": "3f2504e0-4f89-41d3-9a0c-000000000014",
                     *             "fieldId": "3f2504e0-4f89-41d3-9a0c-000000000013",
                     *             "farmId": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *             "name": "North",
                     *             "code": null,
                     *             "status": "active",
                     *             "externalIds": [],
                     *             "areaM2": 794682.17,
                     *             "cropId": null,
                     *             "plantedAt": null,
                     *             "rowSpacingM": null,
                     *             "plantSpacingM": null,
                     *             "irrigationSystemType": null,
                     *             "irrigationStationIds": [],
                     *             "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *             "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *           }
                     *         },
                     *         {
                     *           "type": "Feature",
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000015",
                     *           "geometry": {
                     *             "type": "Point",
                     *             "coordinates": [
                     *               10,
                     *               50
                     *             ]
                     *           },
                     *           "properties": {
                     *             "structureType": "irrigationStation",
                     *             "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *             "id": "3f2504e0-4f89-41d3-9a0c-000000000015",
                     *             "farmId": "3f2504e0-4f89-41d3-9a0c-000000000012",
                     *             "name": "Pump house",
                     *             "code": null,
                     *             "status": "active",
                     *             "externalIds": [],
                     *             "kind": "pump",
                     *             "waterSource": null,
                     *             "maxFlowM3PerHour": null,
                     *             "nominalPressureKPa": null,
                     *             "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *             "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/geo+json": components["schemas"]["FeatureCollection"];
                };
            };
            /** @description The caller has this version. */
            304: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            429: components["responses"]["rate-limited"];
            503: components["responses"]["unavailable"];
        };
    };
    writeStructures: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
            };
            cookie?: never;
        };
        /** @description Farms, or a GeoJSON FeatureCollection. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "farms": [
                 *         {
                 *           "id": "3f2504e0-4f89-41d3-9a0c-000000000012",
                 *           "name": "Home farm",
                 *           "boundary": {
                 *             "type": "Polygon",
                 *             "coordinates": [
                 *               [
                 *                 [
                 *                   10,
                 *                   50
                 *                 ],
                 *                 [
                 *                   10.01,
                 *                   50
                 *                 ],
                 *                 [
                 *                   10.01,
                 *                   50.01
                 *                 ],
                 *                 [
                 *                   10,
                 *                   50.01
                 *                 ],
                 *                 [
                 *                   10,
                 *                   50
                 *                 ]
                 *               ]
                 *             ]
                 *           },
                 *           "fields": [
                 *             {
                 *               "id": "3f2504e0-4f89-41d3-9a0c-000000000013",
                 *               "name": "Long acre",
                 *               "boundary": {
                 *                 "type": "Polygon",
                 *                 "coordinates": [
                 *                   [
                 *                     [
                 *                       10,
                 *                       50
                 *                     ],
                 *                     [
                 *                       10.01,
                 *                       50
                 *                     ],
                 *                     [
                 *                       10.01,
                 *                       50.01
                 *                     ],
                 *                     [
                 *                       10,
                 *                       50.01
                 *                     ],
                 *                     [
                 *                       10,
                 *                       50
                 *                     ]
                 *                   ]
                 *                 ]
                 *               },
                 *               "blocks": [
                 *                 {
                 *                   "id": "3f2504e0-4f89-41d3-9a0c-000000000014",
                 *                   "name": "North",
                 *                   "geometry": {
                 *                     "type": "Polygon",
                 *                     "coordinates": [
                 *                       [
                 *                         [
                 *                           10,
                 *                           50
                 *                         ],
                 *                         [
                 *                           10.01,
                 *                           50
                 *                         ],
                 *                         [
                 *                           10.01,
                 *                           50.01
                 *                         ],
                 *                         [
                 *                           10,
                 *                           50.01
                 *                         ],
                 *                         [
                 *                           10,
                 *                           50
                 *                         ]
                 *                       ]
                 *                     ]
                 *                   }
                 *                 }
                 *               ]
                 *             }
                 *           ],
                 *           "irrigationStations": [
                 *             {
                 *               "id": "3f2504e0-4f89-41d3-9a0c-000000000015",
                 *               "name": "Pump house",
                 *               "kind": "pump",
                 *               "location": {
                 *                 "type": "Point",
                 *                 "coordinates": [
                 *                   10,
                 *                   50
                 *                 ]
                 *               }
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["WrittenFarms"] | components["schemas"]["WrittenFeatureCollection"];
            };
        };
        responses: {
            /** @description How many were created and updated. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created": 4,
                     *       "updated": 0,
                     *       "unchanged": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenResult"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            413: components["responses"]["request-too-large"];
            503: components["responses"]["unavailable"];
        };
    };
    deleteStructures: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    listAvailableModules: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of modules. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *           "moduleVersion": 0.1,
                     *           "revision": 1,
                     *           "translations": [
                     *             {
                     *               "shortName": null,
                     *               "languageId": "f61a6a1d-cf4f-5538-b036-da98ac9c0818",
                     *               "moduleName": "Soil moisture"
                     *             }
                     *           ],
                     *           "logos": [
                     *             {
                     *               "path": "ModuleLogo/logo.png",
                     *               "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *               "mediaType": "image/png"
                     *             }
                     *           ],
                     *           "dataAreaIds": [
                     *             "3e72d88d-cff7-501b-b05d-55a417166023",
                     *             "752b7109-d943-54da-ae0e-3355173a4489"
                     *           ],
                     *           "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *           "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["AvailableModuleSummary"][];
                        /** @description What `cursor` is to be for the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    readAvailableModule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The module. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "moduleVersion": 0.1,
                     *       "revision": 1,
                     *       "translations": [
                     *         {
                     *           "shortName": null,
                     *           "languageId": "f61a6a1d-cf4f-5538-b036-da98ac9c0818",
                     *           "moduleName": "Soil moisture",
                     *           "websiteUrl": null,
                     *           "description": null,
                     *           "websiteName": null,
                     *           "supportContact": null,
                     *           "shortDescription": null
                     *         }
                     *       ],
                     *       "logos": [
                     *         {
                     *           "path": "ModuleLogo/logo.png",
                     *           "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *           "mediaType": "image/png"
                     *         }
                     *       ],
                     *       "dataAreaIds": [
                     *         "3e72d88d-cff7-501b-b05d-55a417166023",
                     *         "752b7109-d943-54da-ae0e-3355173a4489"
                     *       ],
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "updatedAt": "2027-11-20T09:30:00.000+00:00",
                     *       "alertRules": {
                     *         "schema": 1.1,
                     *         "criterias": {
                     *           "temperature": {
                     *             "displayName": {
                     *               "en": "Temperature"
                     *             },
                     *             "description": {
                     *               "en": "Air temperature at two metres"
                     *             },
                     *             "parts": {
                     *               "operator": {
                     *                 "field": "select",
                     *                 "title": {
                     *                   "en": "Operator"
                     *                 },
                     *                 "options": {
                     *                   "gt": {
                     *                     "en": "greater than"
                     *                   },
                     *                   "lt": {
                     *                     "en": "less than"
                     *                   }
                     *                 },
                     *                 "min": null,
                     *                 "max": null,
                     *                 "unit": null
                     *               },
                     *               "value": {
                     *                 "field": "number",
                     *                 "title": {
                     *                   "en": "Value"
                     *                 },
                     *                 "options": null,
                     *                 "min": -50,
                     *                 "max": 60,
                     *                 "unit": "°C"
                     *               }
                     *             }
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AvailableModule"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    readLogo: {
        parameters: {
            query?: {
                /** @description Path of the logo; without it the first. */
                path?: string;
            };
            header?: {
                /** @description The `ETag` of what the caller has; if nothing has changed, the answer is 304. */
                "If-None-Match"?: string;
                /** @description With `gzip`, a file that is deflated in the package comes as it is there. */
                "Accept-Encoding"?: string;
                /** @description One range of bytes, such as `bytes=0-1023` (RFC 9110, 14.2). */
                Range?: string;
                /** @description The `ETag` that the range is of. */
                "If-Range"?: string;
            };
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, with its own media type; as gzip where that was accepted. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description `bytes` where a range can be requested, else `none`. */
                    "Accept-Ranges": string;
                    /** @description Raster images are shown in place; other files are saved. */
                    "Content-Disposition": string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The requested range, of a file that is not compressed in the package. */
            206: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description `bytes` where a range can be requested, else `none`. */
                    "Accept-Ranges": string;
                    /** @description Raster images are shown in place; other files are saved. */
                    "Content-Disposition": string;
                    /** @description Which bytes of how many. */
                    "Content-Range": string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The caller has this version. */
            304: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description `bytes` where a range can be requested, else `none`. */
                    "Accept-Ranges": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            /** @description The file is shorter than that. */
            416: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description `bytes` where a range can be requested, else `none`. */
                    "Accept-Ranges": string;
                    /** @description Which bytes of how many. */
                    "Content-Range": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            503: components["responses"]["unavailable"];
        };
    };
    listInstallations: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of installations. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *           "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *           "acceptedDataAreaIds": [
                     *             "3e72d88d-cff7-501b-b05d-55a417166023",
                     *             "752b7109-d943-54da-ae0e-3355173a4489"
                     *           ],
                     *           "consentPending": false,
                     *           "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *           "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Installation"][];
                        /** @description What `cursor` is to be for the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    readInstallation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The installation. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *       "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "acceptedDataAreaIds": [
                     *         "3e72d88d-cff7-501b-b05d-55a417166023",
                     *         "752b7109-d943-54da-ae0e-3355173a4489"
                     *       ],
                     *       "consentPending": false,
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Installation"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    installModule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        /** @description What the module may read. */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "acceptedDataAreaIds": [
                 *         "3e72d88d-cff7-501b-b05d-55a417166023",
                 *         "752b7109-d943-54da-ae0e-3355173a4489"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Install"];
            };
        };
        responses: {
            /** @description It was installed already. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *       "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "acceptedDataAreaIds": [
                     *         "3e72d88d-cff7-501b-b05d-55a417166023",
                     *         "752b7109-d943-54da-ae0e-3355173a4489"
                     *       ],
                     *       "consentPending": false,
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Installation"];
                };
            };
            /** @description It is installed. */
            201: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *       "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "acceptedDataAreaIds": [
                     *         "3e72d88d-cff7-501b-b05d-55a417166023",
                     *         "752b7109-d943-54da-ae0e-3355173a4489"
                     *       ],
                     *       "consentPending": false,
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Installation"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            413: components["responses"]["request-too-large"];
            503: components["responses"]["unavailable"];
        };
    };
    uninstallModule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The module.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                moduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                /** @description Only those in this status. */
                status?: "firing" | "resolved";
                /** @description Only those of this module. */
                moduleId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of alerts. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000018",
                     *           "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *           "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *           "ruleId": "3f2504e0-4f89-41d3-9a0c-000000000017",
                     *           "target": {
                     *             "type": "farm",
                     *             "id": "3f2504e0-4f89-41d3-9a0c-000000000012"
                     *           },
                     *           "status": "firing",
                     *           "severity": "warning",
                     *           "startsAt": "2027-11-20T09:30:00.000+00:00",
                     *           "endsAt": null,
                     *           "title": "Frost",
                     *           "message": "Two degrees at two metres.",
                     *           "value": 1.5,
                     *           "labels": {
                     *             "sensor": "north"
                     *           },
                     *           "fingerprint": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *           "acknowledgedAt": null,
                     *           "acknowledgedBy": null,
                     *           "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *           "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Alert"][];
                        /** @description What `cursor` is to be for the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    acknowledgeAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The alert.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                alertId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The alert. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3f2504e0-4f89-41d3-9a0c-000000000018",
                     *       "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *       "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "ruleId": "3f2504e0-4f89-41d3-9a0c-000000000017",
                     *       "target": {
                     *         "type": "farm",
                     *         "id": "3f2504e0-4f89-41d3-9a0c-000000000012"
                     *       },
                     *       "status": "firing",
                     *       "severity": "warning",
                     *       "startsAt": "2027-11-20T09:30:00.000+00:00",
                     *       "endsAt": null,
                     *       "title": "Frost",
                     *       "message": "Two degrees at two metres.",
                     *       "value": 1.5,
                     *       "labels": {
                     *         "sensor": "north"
                     *       },
                     *       "fingerprint": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *       "acknowledgedAt": "2027-11-20T09:30:00.000+00:00",
                     *       "acknowledgedBy": "tester",
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    listAlertRules: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                /** @description Only those of this module. */
                moduleId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of rules. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000017",
                     *           "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *           "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *           "criteria": "temperature",
                     *           "values": {
                     *             "value": 2,
                     *             "operator": "lt"
                     *           },
                     *           "name": "Frost",
                     *           "enabled": true,
                     *           "status": "active",
                     *           "outdatedReasons": [],
                     *           "definitionRevision": 1,
                     *           "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *           "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["AlertRule"][];
                        /** @description What `cursor` is to be for the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    createAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
            };
            cookie?: never;
        };
        /** @description The rule: every part of the criterion has a value. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                 *       "criteria": "temperature",
                 *       "values": {
                 *         "operator": "lt",
                 *         "value": 2
                 *       },
                 *       "name": "Frost"
                 *     }
                 */
                "application/json": components["schemas"]["NewAlertRule"];
            };
        };
        responses: {
            /** @description The rule. */
            201: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Address of what was made, or of the import. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3f2504e0-4f89-41d3-9a0c-000000000017",
                     *       "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *       "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "criteria": "temperature",
                     *       "values": {
                     *         "value": 2,
                     *         "operator": "lt"
                     *       },
                     *       "name": "Frost",
                     *       "enabled": true,
                     *       "status": "active",
                     *       "outdatedReasons": [],
                     *       "definitionRevision": 1,
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *     }
                     */
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            413: components["responses"]["request-too-large"];
            503: components["responses"]["unavailable"];
        };
    };
    readAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The alert rule.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                ruleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rule. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3f2504e0-4f89-41d3-9a0c-000000000017",
                     *       "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *       "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "criteria": "temperature",
                     *       "values": {
                     *         "value": 2,
                     *         "operator": "lt"
                     *       },
                     *       "name": "Frost",
                     *       "enabled": true,
                     *       "status": "active",
                     *       "outdatedReasons": [],
                     *       "definitionRevision": 1,
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *     }
                     */
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    replaceAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The alert rule.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                ruleId: string;
            };
            cookie?: never;
        };
        /** @description The rule; its module stays. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "criteria": "temperature",
                 *       "values": {
                 *         "operator": "lt",
                 *         "value": 2
                 *       },
                 *       "name": "Frost",
                 *       "enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["AlertRuleChange"];
            };
        };
        responses: {
            /** @description The rule. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3f2504e0-4f89-41d3-9a0c-000000000017",
                     *       "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000016",
                     *       "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *       "criteria": "temperature",
                     *       "values": {
                     *         "value": 2,
                     *         "operator": "lt"
                     *       },
                     *       "name": "Frost",
                     *       "enabled": true,
                     *       "status": "active",
                     *       "outdatedReasons": [],
                     *       "definitionRevision": 1,
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *     }
                     */
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            413: components["responses"]["request-too-large"];
            503: components["responses"]["unavailable"];
        };
    };
    deleteAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
                /**
                 * @description The alert rule.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                ruleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    readLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every limit in force. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "maxPackageBytes": 1073741824,
                     *       "maxEntries": 50000,
                     *       "maxEntryBytes": 536870912,
                     *       "maxUnpackedBytes": 4294967296,
                     *       "maxExpansionRatio": 100,
                     *       "expansionGraceBytes": 67108864,
                     *       "maxPathBytes": 512,
                     *       "maxPathDepth": 32,
                     *       "maxDescriptorBytes": 1048576,
                     *       "maxRolesBytes": 1048576,
                     *       "maxAlertRulesBytes": 1048576,
                     *       "maxImageBytes": 10485760,
                     *       "maxReportedProblems": 100,
                     *       "maxUploads": 128,
                     *       "maxUploadsPerOrganization": 64,
                     *       "maxImportsPerMinute": 600,
                     *       "maxJsonBodyBytes": 10485760,
                     *       "requiredFolders": []
                     *     }
                     */
                    "application/json": components["schemas"]["Limits"];
                };
            };
            400: components["responses"]["request-invalid"];
            503: components["responses"]["unavailable"];
        };
    };
    listCatalogueSets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sets. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "key": "languages",
                     *           "count": 95
                     *         },
                     *         {
                     *           "key": "dataAreas",
                     *           "count": 4
                     *         },
                     *         {
                     *           "key": "hostingTypes",
                     *           "count": 2
                     *         },
                     *         {
                     *           "key": "types",
                     *           "count": 3
                     *         },
                     *         {
                     *           "key": "categories",
                     *           "count": 8
                     *         },
                     *         {
                     *           "key": "federationTypes",
                     *           "count": 3
                     *         },
                     *         {
                     *           "key": "deploymentTypes",
                     *           "count": 3
                     *         },
                     *         {
                     *           "key": "paymentOptions",
                     *           "count": 3
                     *         },
                     *         {
                     *           "key": "paymentCycles",
                     *           "count": 4
                     *         },
                     *         {
                     *           "key": "currencies",
                     *           "count": 29
                     *         },
                     *         {
                     *           "key": "regions",
                     *           "count": 7
                     *         },
                     *         {
                     *           "key": "countries",
                     *           "count": 147
                     *         },
                     *         {
                     *           "key": "crops",
                     *           "count": 18
                     *         },
                     *         {
                     *           "key": "environments",
                     *           "count": 3
                     *         },
                     *         {
                     *           "key": "appEnvironments",
                     *           "count": 3
                     *         },
                     *         {
                     *           "key": "requirements",
                     *           "count": 5
                     *         },
                     *         {
                     *           "key": "documentTypes",
                     *           "count": 4
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CatalogueSets"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            503: components["responses"]["unavailable"];
        };
    };
    readCatalogueSet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Key of a set of the catalogue.
                 * @example languages
                 */
                set: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The set. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "3e72d88d-cff7-501b-b05d-55a417166023",
                     *           "key": "FarmOrganization",
                     *           "value": "Farm organization",
                     *           "description": "farm_organizations, farms, fields, zones, irrigation_stations",
                     *           "parent": null
                     *         },
                     *         {
                     *           "id": "752b7109-d943-54da-ae0e-3355173a4489",
                     *           "key": "FarmOrganizationAlerts",
                     *           "value": "Farm organization alerts",
                     *           "description": "alert_rules, alerts",
                     *           "parent": null
                     *         },
                     *         {
                     *           "id": "973e15cb-2886-5651-9e14-57e8965f86dd",
                     *           "key": "FarmMember",
                     *           "value": "Farm members",
                     *           "description": "farm_members",
                     *           "parent": null
                     *         },
                     *         {
                     *           "id": "a0cf7c03-ece0-5654-a5b7-2791ad7b2462",
                     *           "key": "ADMAMasterdata",
                     *           "value": "ADMA master data",
                     *           "description": "adma_masterdata",
                     *           "parent": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CatalogueEntries"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of organizations. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "3f2504e0-4f89-41d3-9a0c-000000000001",
                     *           "tenantId": "3f2504e0-4f89-41d3-9a0c-000000000002",
                     *           "kind": "farmer",
                     *           "name": "Green Fields",
                     *           "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *           "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *         }
                     *       ],
                     *       "nextCursor": "MjAyNy0xMS0yMFQwOTozMDowMC4wMDBa"
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Organization"][];
                        /** @description What `cursor` is to be for the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            503: components["responses"]["unavailable"];
        };
    };
    readOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3f2504e0-4f89-41d3-9a0c-000000000001",
                     *       "tenantId": "3f2504e0-4f89-41d3-9a0c-000000000002",
                     *       "kind": "farmer",
                     *       "name": "Green Fields",
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    writeOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                orgId: string;
            };
            cookie?: never;
        };
        /** @description The organization. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Green Fields",
                 *       "kind": "farmer",
                 *       "tenantId": "3f2504e0-4f89-41d3-9a0c-000000000002"
                 *     }
                 */
                "application/json": components["schemas"]["WriteOrganization"];
            };
        };
        responses: {
            /** @description It was there already. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3f2504e0-4f89-41d3-9a0c-000000000001",
                     *       "tenantId": "3f2504e0-4f89-41d3-9a0c-000000000002",
                     *       "kind": "farmer",
                     *       "name": "Green Fields",
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description It is new. */
            201: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3f2504e0-4f89-41d3-9a0c-000000000001",
                     *       "tenantId": "3f2504e0-4f89-41d3-9a0c-000000000002",
                     *       "kind": "farmer",
                     *       "name": "Green Fields",
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "updatedAt": "2027-11-20T09:30:00.000+00:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            409: components["responses"]["organization-fixed"];
            413: components["responses"]["request-too-large"];
            503: components["responses"]["unavailable"];
        };
    };
    listAllImports: {
        parameters: {
            query?: {
                /** @description Most items of the answer. */
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                /** @description Only those in this status. */
                status?: "queued" | "running" | "succeeded" | "rejected" | "failed" | "cancelled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of imports. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "importId": "3f2504e0-4f89-41d3-9a0c-000000000005",
                     *           "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000004",
                     *           "status": "succeeded",
                     *           "validateOnly": false,
                     *           "outcome": "created",
                     *           "moduleId": "3f2504e0-4f89-41d3-9a0c-000000000006",
                     *           "moduleVersion": 0.1,
                     *           "revision": 1,
                     *           "errors": [],
                     *           "warnings": [],
                     *           "errorsTotal": 0,
                     *           "progress": {
                     *             "step": "writing",
                     *             "completed": 8,
                     *             "total": 8
                     *           },
                     *           "fileName": "package.zip",
                     *           "sizeBytes": 2048,
                     *           "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *           "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *           "startedAt": "2027-11-20T09:30:00.000+00:00",
                     *           "finishedAt": "2027-11-20T09:30:00.000+00:00"
                     *         }
                     *       ],
                     *       "nextCursor": "MjAyNy0xMS0yMFQwOTozMDowMC4wMDBa"
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Import"][];
                        /** @description What `cursor` is to be for the next page; null at the end. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            503: components["responses"]["unavailable"];
        };
    };
    retryImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The import.
                 * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
                 */
                importId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is queued again. */
            202: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "importId": "3f2504e0-4f89-41d3-9a0c-000000000005",
                     *       "organizationId": "3f2504e0-4f89-41d3-9a0c-000000000004",
                     *       "status": "queued",
                     *       "validateOnly": false,
                     *       "outcome": null,
                     *       "moduleId": null,
                     *       "moduleVersion": null,
                     *       "revision": null,
                     *       "errors": [],
                     *       "warnings": [],
                     *       "errorsTotal": 0,
                     *       "progress": {
                     *         "step": "queued",
                     *         "completed": 0,
                     *         "total": 0
                     *       },
                     *       "fileName": "package.zip",
                     *       "sizeBytes": 2048,
                     *       "sha256": "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
                     *       "createdAt": "2027-11-20T09:30:00.000+00:00",
                     *       "startedAt": null,
                     *       "finishedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Import"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            404: components["responses"]["not-found"];
            409: components["responses"]["import-not-retryable"];
            503: components["responses"]["unavailable"];
        };
    };
    readBacklog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Imports that have not ended. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "queued": 0,
                     *       "running": 0,
                     *       "oldestWaitingSeconds": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Backlog"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            503: components["responses"]["unavailable"];
        };
    };
    listWorkers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The workers. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "worker-1",
                     *           "ageSeconds": 3600,
                     *           "idleSeconds": 12
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Workers"];
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
            503: components["responses"]["unavailable"];
        };
    };
    isAlive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Alive"];
                };
            };
            400: components["responses"]["request-invalid"];
        };
    };
    isReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It can. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "parts": {
                     *         "database": "ok",
                     *         "storage": "ok"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            400: components["responses"]["request-invalid"];
            /** @description A part is out of reach, or the process stops. */
            503: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    readMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["request-invalid"];
            401: components["responses"]["auth-token-invalid"];
            403: components["responses"]["auth-forbidden"];
        };
    };
    readOpenApi: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what the caller has; if nothing has changed, the answer is 304. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description Pages of any origin may read it. */
                    "Access-Control-Allow-Origin": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The caller has this version. */
            304: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description Pages of any origin may read it. */
                    "Access-Control-Allow-Origin": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["request-invalid"];
            503: components["responses"]["unavailable"];
        };
    };
    readDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["request-invalid"];
            503: components["responses"]["unavailable"];
        };
    };
    readSchema: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what the caller has; if nothing has changed, the answer is 304. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Name of a schema.
                 * @example module-schema.json
                 */
                name: "module-schema.json" | "roles-entities.json" | "alert-rules.json";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schema. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description Pages of any origin may read it. */
                    "Access-Control-Allow-Origin": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The caller has this version. */
            304: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Names this version of the answer. */
                    ETag: string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    /** @description Pages of any origin may read it. */
                    "Access-Control-Allow-Origin": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["request-invalid"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
    listProblems: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The codes. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProblemPages"];
                    "text/html": string;
                };
            };
            400: components["responses"]["request-invalid"];
            503: components["responses"]["unavailable"];
        };
    };
    readProblem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Code of a problem.
                 * @example not-found
                 */
                code: "alert-rules-invalid" | "alert-rules-not-yaml" | "archive-ambiguous" | "archive-compression-unsupported" | "archive-encrypted" | "archive-entries-overlap" | "archive-entry-corrupt" | "archive-entry-headers-disagree" | "archive-entry-kind-forbidden" | "archive-entry-name-conflict" | "archive-entry-name-unsafe" | "archive-entry-too-large" | "archive-expands-too-far" | "archive-too-many-entries" | "archive-unreadable" | "auth-api-key-invalid" | "auth-data-area-missing" | "auth-forbidden" | "auth-token-invalid" | "descriptor-data-area-unknown" | "descriptor-duplicate-key" | "descriptor-english-missing" | "descriptor-file-misplaced" | "descriptor-file-missing" | "descriptor-invalid" | "descriptor-language-unknown" | "descriptor-not-json" | "descriptor-property-unknown" | "descriptor-schema-unsupported" | "descriptor-translation-duplicate" | "descriptor-value-repeated" | "import-cancelled" | "import-deadline-exceeded" | "import-failed" | "import-not-cancellable" | "import-not-retryable" | "import-rejected" | "import-still-running" | "layout-artifact-folder" | "layout-descriptor-missing" | "layout-entry-unexpected" | "layout-file-count" | "layout-file-too-large" | "layout-file-type" | "layout-file-undeclared" | "layout-file-unreferenced" | "layout-folder-missing" | "layout-folder-nested" | "layout-litter-skipped" | "layout-part-removed" | "layout-wrapped-in-folder" | "method-not-allowed" | "not-found" | "organization-fixed" | "rate-limited" | "registry-module-id-not-allowed" | "registry-revision-changed" | "registry-scope-taken" | "registry-superseded" | "request-file-missing" | "request-idempotency-mismatch" | "request-invalid" | "request-too-large" | "request-too-slow" | "roles-invalid" | "roles-not-json" | "unavailable";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What it means. */
            200: {
                headers: {
                    /** @description Names the request in the logs; taken from `traceparent`, or made. */
                    "X-Trace-Id": string;
                    /** @description Whether the answer may be kept, and how long. */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "not-found",
                     *       "kind": "HTTP 404",
                     *       "title": "Not found",
                     *       "explanation": "There is nothing at this address, or not for this organization.",
                     *       "remedy": "Check the address and the IDs in it."
                     *     }
                     */
                    "application/json": components["schemas"]["ProblemPage"];
                    "text/html": string;
                };
            };
            400: components["responses"]["request-invalid"];
            404: components["responses"]["not-found"];
            503: components["responses"]["unavailable"];
        };
    };
}
