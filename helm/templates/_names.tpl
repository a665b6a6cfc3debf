{{/* Names, labels and addresses that several objects share. */}}

{{- define "tomtom-mcp-gateway.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Name of every object: the release's, with the chart's where that does not hold it already. */}}
{{- define "tomtom-mcp-gateway.fullname" -}}
{{- $name := include "tomtom-mcp-gateway.name" . }}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 53 | trimSuffix "-" }}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" }}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 53 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* Labels by which the chart's own pods are found. They never change. */}}
{{- define "tomtom-mcp-gateway.selectorLabels" -}}
app.kubernetes.io/name: {{ include "tomtom-mcp-gateway.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tomtom-mcp-gateway.labels" -}}
{{ include "tomtom-mcp-gateway.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Labels of the pods in which a gateway runs: the chart's own, or those that carry it beside the server. */}}
{{- define "tomtom-mcp-gateway.podLabels" -}}
{{- if eq .Values.mode "sidecar" }}
{{- toYaml .Values.sidecar.podLabels }}
{{- else }}
{{- include "tomtom-mcp-gateway.selectorLabels" . }}
{{- end }}
{{- end }}

{{- define "tomtom-mcp-gateway.serviceAccountName" -}}
{{- default (ternary (include "tomtom-mcp-gateway.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name }}
{{- end }}

{{- define "tomtom-mcp-gateway.image" -}}
{{- with .Values.image }}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end }}
{{- end }}
{{- end }}

{{- define "tomtom-mcp-gateway.upstreamURL" -}}
{{- default (ternary "http://127.0.0.1:3000/mcp" "" (eq .Values.mode "sidecar")) .Values.upstream.url }}
{{- end }}

{{/* Where hosts find MCP below the gateway's address: at the server's path. */}}
{{- define "tomtom-mcp-gateway.path" -}}
{{- default "/" (urlParse (include "tomtom-mcp-gateway.upstreamURL" .)).path }}
{{- end }}
