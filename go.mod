module tomtom-mcp-gateway

go 1.26.0

require (
	github.com/caarlos0/env/v11 v11.4.2 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/modelcontextprotocol/go-sdk v1.8.0 // indirect
	github.com/prometheus/client_golang v1.25.0 // indirect
	github.com/valyala/fastjson v1.6.10 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
