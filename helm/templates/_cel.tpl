{{/* A value as a CEL expression, for mutating admission policies: {value, type}, where type is the path of CEL's object types that
the value's fields belong to, such as Object.spec.containers. Lists add nothing to the path. Quantities are maps. */}}
{{- define "tomtom-mcp-gateway.cel" -}}
{{- $type := .type }}
{{- if kindIs "map" .value }}
  {{- $quantities := or (hasSuffix ".resources.limits" $type) (hasSuffix ".resources.requests" $type) }}
  {{- $members := list }}
  {{- range $key, $member := .value }}
    {{- if $quantities }}
      {{- $members = append $members (printf "%s: %s" ($key | toJson) (toString $member | toJson)) }}
    {{- else }}
      {{- $members = append $members (printf "%s: %s" $key (include "tomtom-mcp-gateway.cel" (dict "value" $member "type" (printf "%s.%s" $type $key)))) }}
    {{- end }}
  {{- end }}
  {{- printf "%s{%s}" (ternary "" $type $quantities) (join ", " $members) }}
{{- else if kindIs "slice" .value }}
  {{- $members := list }}
  {{- range .value }}
    {{- $members = append $members (include "tomtom-mcp-gateway.cel" (dict "value" . "type" $type)) }}
  {{- end }}
  {{- printf "[%s]" (join ", " $members) }}
{{- else if kindIs "float64" .value }}
  {{- int64 .value }}
{{- else }}
  {{- toJson .value }}
{{- end }}
{{- end }}
