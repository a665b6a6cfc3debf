// Package alerts runs the rules of helm/files/alerts.yaml in Prometheus' own engine, over made-up minutes in which each has to fire and
// over quiet ones, and reads what the rules and helm/files/dashboard.json ask for: metrics and labels that the gateway has.
package alerts
