// The content security policies under which hosts draw documents.

/**
 * declared: what the document declares, with blob: and data:, as the specification's reference host has it.
 * noblob: the same without them, as claude.ai.
 * inspector: no workers, pictures from declared https origins only, as MCP Inspector.
 * blocked: a host that honours no domain.
 */
export type Profile = "declared" | "noblob" | "inspector" | "blocked";

export interface Declared {
  readonly connectDomains?: readonly string[];
  readonly resourceDomains?: readonly string[];
}

const shared = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; object-src 'none'";

export function policyOf(profile: Profile, declared: Declared): string {
  const connect = declared.connectDomains?.join(" ") || "'none'";
  const resources = declared.resourceDomains ?? [];
  switch (profile) {
    case "declared":
      return `${shared}; img-src 'self' data: blob: ${resources.join(" ")}; connect-src ${connect}; worker-src blob:`;
    case "noblob":
      return `${shared}; img-src 'self' ${resources.join(" ")}; connect-src ${connect}; worker-src 'none'`;
    case "inspector": {
      const secure = resources.filter((origin) => origin.startsWith("https://")).join(" ");
      return `${shared}; img-src ${secure || "'none'"}; connect-src ${connect}; worker-src 'none'`;
    }
    case "blocked":
      return `${shared}; img-src 'none'; connect-src 'none'; worker-src 'none'`;
  }
}
