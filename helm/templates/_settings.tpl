{{/* What the gateway reads from its environment. */}}

{{/* Entries of a list tool=number, by tool. */}}
{{- define "tomtom-mcp-gateway.perTool" -}}
{{- $entries := list }}
{{- range $tool, $value := . }}
{{- $entries = append $entries (printf "%s=%v" $tool (ternary (int64 $value) $value (eq (floor $value) (float64 $value)))) }}
{{- end }}
{{- join "," $entries }}
{{- end }}

{{/* Path of a file of a Secret: the folder is the volume's name without gateway-. */}}
{{- define "tomtom-mcp-gateway.file" -}}
/etc/tomtom-mcp-gateway/{{ . }}
{{- end }}

{{/* Secrets that become files, by the folder that they are mounted at. */}}
{{- define "tomtom-mcp-gateway.secretFiles" -}}
{{- range $folder, $secret := dict
  "upstream-ca" .Values.upstream.tls.caSecretName
  "upstream" .Values.upstream.tls.secretName
  "tls" .Values.tls.secretName
  "client-ca" .Values.tls.clientCASecretName
}}
{{- if $secret }}
{{ $folder }}: {{ $secret }}
{{- end }}
{{- end }}
{{- end }}

{{/* Variables that are no secrets, as the data of the ConfigMap. What is empty is left to the gateway. */}}
{{- define "tomtom-mcp-gateway.settings" -}}
{{- $v := .Values }}
{{- $settings := dict
  "GATEWAY_UPSTREAM_URL" (include "tomtom-mcp-gateway.upstreamURL" .)
  "GATEWAY_UPSTREAM_TIMEOUT" $v.upstream.timeout
  "GATEWAY_UPSTREAM_CA" (ternary (include "tomtom-mcp-gateway.file" "upstream-ca/ca.crt") "" (ne $v.upstream.tls.caSecretName ""))
  "GATEWAY_UPSTREAM_CERT" (ternary (include "tomtom-mcp-gateway.file" "upstream/tls.crt") "" (ne $v.upstream.tls.secretName ""))
  "GATEWAY_UPSTREAM_CERT_KEY" (ternary (include "tomtom-mcp-gateway.file" "upstream/tls.key") "" (ne $v.upstream.tls.secretName ""))
  "GATEWAY_TLS_CERT" (ternary (include "tomtom-mcp-gateway.file" "tls/tls.crt") "" (ne $v.tls.secretName ""))
  "GATEWAY_TLS_KEY" (ternary (include "tomtom-mcp-gateway.file" "tls/tls.key") "" (ne $v.tls.secretName ""))
  "GATEWAY_TLS_CLIENT_CA" (ternary (include "tomtom-mcp-gateway.file" "client-ca/ca.crt") "" (ne $v.tls.clientCASecretName ""))
  "GATEWAY_LISTEN" (printf ":%d" (int64 $v.ports.mcp))
  "GATEWAY_ADMIN_LISTEN" (printf ":%d" (int64 $v.ports.admin))
  "GATEWAY_DRAIN_DELAY" $v.drain.delay
  "GATEWAY_DRAIN_TIMEOUT" $v.drain.timeout
  "GATEWAY_RESULT_LIMIT" (printf "%d" (int64 $v.limits.result))
  "GATEWAY_TOOL_LIMITS" (include "tomtom-mcp-gateway.perTool" $v.limits.tools)
  "GATEWAY_MAX_ERROR_M" (printf "%v" $v.limits.errorM)
  "GATEWAY_TOOL_MAX_ERRORS_M" (include "tomtom-mcp-gateway.perTool" $v.limits.toolErrorsM)
  "GATEWAY_TEXT" $v.limits.text
  "GATEWAY_APPS" $v.widget.apps
  "GATEWAY_TILES" $v.widget.tiles
  "GATEWAY_TILES_ATTRIBUTION" $v.widget.tilesAttribution
  "GATEWAY_INCIDENTS" $v.widget.incidents
  "GATEWAY_ALLOWED_ORIGINS" (join "," $v.allowedOrigins)
  "GATEWAY_ALLOWED_HOSTS" (join "," $v.allowedHosts)
  "GATEWAY_MAX_REQUESTS" (printf "%d" (int64 $v.maxRequests))
  "GATEWAY_MAX_REQUEST_BYTES" (printf "%d" (int64 $v.memory.requestBytes))
  "GATEWAY_MAX_RESPONSE_BYTES" (printf "%d" (int64 $v.memory.responseBytes))
  "GATEWAY_MAX_BUFFERED_BYTES" (printf "%d" (int64 $v.memory.bufferedBytes))
  "GATEWAY_LOG_LEVEL" $v.log.level
  "GATEWAY_LOG_FORMAT" $v.log.format
  "GATEWAY_LOG_SAMPLE" (printf "%d" (int64 $v.log.sample))
}}
{{- range $name, $value := $settings }}
{{- if $value }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* Annotations of a pod that runs the gateway: a changed budget changes them, so that pods are replaced. */}}
{{- define "tomtom-mcp-gateway.podAnnotations" -}}
checksum/settings: {{ include "tomtom-mcp-gateway.settings" . | sha256sum }}
{{- end }}
