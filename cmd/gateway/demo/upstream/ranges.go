package upstream

import (
	"math"
)

const ringVertices = 481

// buildRange computes tomtom-reachable-range's document: areas for the budget and parts of it, the largest first. Each
// carries the request's settings, the caller's key among them, as the real server's do.
func buildRange(c *call) (object, error) {
	origin, ok := c.args.position("origin")
	if !ok {
		return nil, errPosition
	}
	budget, ok := rangeBudget(c.args)
	if !ok {
		return nil, apiError("At least one budget parameter (time, distance, energy, or fuel) must be provided")
	}
	r := newRandom(c.opts.Seed, "range", key(origin))
	shape := rangeShape(r)
	features := list{}
	var whole bounds
	for i, share := range []float64{1, 0.75, 0.5, 0.25} {
		ring := rangeRing(r, origin, budget.reachM*share, shape)
		box, _ := boundsOf(ring)
		if i == 0 {
			whole = box
		}
		features = append(features, object{
			{"type", "Feature"},
			{"geometry", object{{"type", "Polygon"}, {"coordinates", list{linePositions(ring)}}}},
			{"bbox", box},
			{"properties", object{
				{"commonBaseURL", "https://api.tomtom.com"},
				{"apiKey", c.key},
				{"apiVersion", 2},
				{"retry", object{{"initialWaitMs", 0.447}, {"backoffFactor", 1.618}, {"timeoutMs", 40000}}},
				{"tomtom-user-agent", "TomTomMCPSDKHttp/" + Version},
				{"origin", origin},
				{"budget", object{{"type", budget.kind}, {"value", budget.value * share}}},
			}},
		})
	}
	return object{
		{"type", "FeatureCollection"}, {"bbox", whole}, {"features", features}, {"requestedBudgetValue", budget.value},
	}, nil
}

type budget struct {
	kind   string
	value  float64 // in the unit of the kind
	reachM float64 // as the crow flies
}

// rangeBudget is the budget that the arguments give; false without one.
func rangeBudget(args arguments) (budget, bool) {
	capacity := args.number("maxChargeInkWh", 60)
	kinds := []struct {
		argument, kind string
		unit           float64 // of the argument in the kind's unit
		metres         float64 // that one of the kind's units reaches
	}{
		{"timeBudgetInSec", "timeMinutes", 1. / 60, 820},
		{"distanceBudgetInMeters", "distanceKM", 1. / 1000, 740},
		{"chargeBudgetPercent", "spentChargePCT", 1, capacity / 100 / consumptionKWhPerKm * 740},
		{"remainingChargeBudgetPercent", "remainingChargePCT", 1, capacity / 100 / consumptionKWhPerKm * 740},
		{"energyBudgetInkWh", "energyInkWh", 1, 740 / consumptionKWhPerKm},
		{"fuelBudgetInLiters", "spentFuelLiters", 1, 740 / 0.065},
	}
	for _, k := range kinds {
		v := args.number(k.argument, 0) * k.unit
		if v <= 0 {
			continue
		}
		reach := v
		if k.kind == "remainingChargePCT" {
			reach = math.Max(1, args.number("currentChargeInkWh", capacity)/capacity*100-v)
		}
		return budget{k.kind, v, math.Min(600000, reach*k.metres)}, true
	}
	return budget{}, false
}

// rangeShape is how far one gets in each direction, as a factor: a few fast roads make spikes, water makes dents.
func rangeShape(r random) func(angle float64) float64 {
	type wave struct{ n, size, phase float64 }
	var waves []wave
	for n := 1.0; n <= 48; n *= 1.6 {
		waves = append(waves, wave{math.Round(n), 0.16 / math.Pow(n, 0.55), r.between(0, 2*math.Pi)})
	}
	return func(angle float64) float64 {
		f := 1.0
		for _, w := range waves {
			f += w.size * math.Cos(w.n*angle+w.phase)
		}
		return math.Max(0.25, f)
	}
}

// rangeRing is a closed ring counterclockwise about the origin.
func rangeRing(r random, origin position, reachM float64, shape func(float64) float64) []position {
	ring := make([]position, 0, ringVertices)
	for i := range ringVertices - 1 {
		angle := 2 * math.Pi * float64(i) / (ringVertices - 1)
		p := move(origin, angle, reachM*shape(angle)*(1+r.NormFloat64()*0.012))
		ring = append(ring, p.round7())
	}
	return append(ring, ring[0])
}
