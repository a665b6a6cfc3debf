{{/* What no schema can say of values that contradict each other. Every problem is named at once. */}}
{{- define "tomtom-mcp-gateway.checks" -}}
{{- $v := .Values }}
{{- $sidecar := eq $v.mode "sidecar" }}
{{- $problems := list }}
{{- if and (not $sidecar) (not $v.upstream.url) }}
  {{- $problems = append $problems "upstream.url is not set: say where the TomTom MCP server is, such as http://tomtom-mcp.maps.svc:3000/mcp" }}
{{- end }}
{{- if eq (int64 $v.ports.mcp) (int64 $v.ports.admin) }}
  {{- $problems = append $problems "ports.admin is the same as ports.mcp: probes and metrics need a port of their own" }}
{{- end }}
{{- if and $v.tls.clientCASecretName (not $v.tls.secretName) }}
  {{- $problems = append $problems "tls.clientCASecretName needs tls.secretName: only over https does the gateway see a caller's certificate" }}
{{- end }}
{{- if and (not $sidecar) $v.sidecar.admissionPolicy.enabled }}
  {{- $problems = append $problems "sidecar.admissionPolicy.enabled needs mode: sidecar; a release is one or the other, so install the chart twice for both" }}
{{- end }}
{{- if $sidecar }}
  {{- if $v.autoscaling.enabled }}
    {{- $problems = append $problems "autoscaling.enabled needs mode: gateway; in mode: sidecar the pods are the server's" }}
  {{- end }}
  {{- if $v.podDisruptionBudget.enabled }}
    {{- $problems = append $problems "podDisruptionBudget.enabled needs mode: gateway; in mode: sidecar the pods are the server's" }}
  {{- end }}
  {{- if not $v.sidecar.podLabels }}
    {{- $problems = append $problems "sidecar.podLabels is empty: it would mean every pod of the namespace" }}
  {{- end }}
{{- else if and $v.networkPolicy.enabled (not $v.networkPolicy.upstreamPods) }}
  {{- $problems = append $problems "networkPolicy.upstreamPods is empty: give labels of the server's pods, or the policy would shut off every pod of the namespace" }}
{{- end }}
{{- if not $v.service.enabled }}
  {{- range $name, $on := dict "ingress.enabled" $v.ingress.enabled "httpRoute.enabled" $v.httpRoute.enabled }}
    {{- if $on }}
      {{- $problems = append $problems (printf "%s needs service.enabled" $name) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- if and $v.httpRoute.enabled (not $v.httpRoute.parentRefs) }}
  {{- $problems = append $problems "httpRoute.parentRefs is empty: name the Gateway that the route belongs to" }}
{{- end }}
{{- if and $v.metrics.serviceMonitor.enabled $v.metrics.podMonitor.enabled }}
  {{- $problems = append $problems "metrics.serviceMonitor.enabled and metrics.podMonitor.enabled would count everything twice: enable one" }}
{{- end }}
{{- if and $v.autoscaling.enabled (gt (int64 $v.autoscaling.minReplicas) (int64 $v.autoscaling.maxReplicas)) }}
  {{- $problems = append $problems "autoscaling.minReplicas is above autoscaling.maxReplicas" }}
{{- end }}
{{- if $problems }}
  {{- fail (printf "\n\n  %s\n" (join "\n  " $problems)) }}
{{- end }}
{{- end }}
