{{/* The gateway's container, for the chart's own pods and for those of others. */}}

{{- define "tomtom-mcp-gateway.probe" -}}
{{- $probe := dict "httpGet" (dict "path" .path "port" "gateway-admin") }}
{{- toYaml (merge $probe .probe) }}
{{- end }}

{{/* One container, without the dash of a list. Everything that Pod Security asks for stands in it, because the pod may be
another's. */}}
{{- define "tomtom-mcp-gateway.containerFields" -}}
name: tomtom-mcp-gateway
image: {{ include "tomtom-mcp-gateway.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  {{- with .Values.envFrom }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  - configMapRef:
      name: {{ include "tomtom-mcp-gateway.fullname" . }}
{{- with .Values.widget.mapKey }}
{{- if or .secretName $.Values.extraEnv }}
env:
  {{- if .secretName }}
  - name: GATEWAY_MAP_KEY
    valueFrom:
      secretKeyRef:
        name: {{ .secretName }}
        key: {{ .secretKey }}
  {{- end }}
  {{- with $.Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}
ports:
  - name: gateway-mcp
    containerPort: {{ int64 .Values.ports.mcp }}
    protocol: TCP
  - name: gateway-admin
    containerPort: {{ int64 .Values.ports.admin }}
    protocol: TCP
startupProbe:
  {{- include "tomtom-mcp-gateway.probe" (dict "path" "/startupz" "probe" .Values.startupProbe) | nindent 2 }}
livenessProbe:
  {{- include "tomtom-mcp-gateway.probe" (dict "path" "/healthz" "probe" .Values.livenessProbe) | nindent 2 }}
readinessProbe:
  {{- include "tomtom-mcp-gateway.probe" (dict "path" "/readyz" "probe" .Values.readinessProbe) | nindent 2 }}
{{- with .Values.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.securityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- $files := include "tomtom-mcp-gateway.secretFiles" . | fromYaml }}
{{- if or $files .Values.extraVolumeMounts }}
volumeMounts:
  {{- range $folder, $secret := $files }}
  - name: gateway-{{ $folder }}
    mountPath: {{ include "tomtom-mcp-gateway.file" $folder }}
    readOnly: true
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Entries of a pod's volumes that the container needs; nothing where it needs none. */}}
{{- define "tomtom-mcp-gateway.volumes" -}}
{{- range $folder, $secret := include "tomtom-mcp-gateway.secretFiles" . | fromYaml }}
- name: gateway-{{ $folder }}
  secret:
    secretName: {{ $secret }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* An entry of a pod's containers. */}}
{{- define "tomtom-mcp-gateway.container" -}}
- {{ include "tomtom-mcp-gateway.containerFields" . | indent 2 | trim }}
{{- end }}

{{/* An entry of a pod's initContainers: a native sidecar. It is started before the server and does not wait for it. */}}
{{- define "tomtom-mcp-gateway.nativeSidecar" -}}
{{ include "tomtom-mcp-gateway.container" . }}
  restartPolicy: Always
{{- end }}
