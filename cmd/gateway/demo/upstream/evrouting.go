package upstream

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// chargingPlan says where an electric route charges and what the battery holds at the end of each leg. The slices of
// the legs are parallel; stations has nil where a leg ends without charging.
type chargingPlan struct {
	capacityKWh float64
	usedKWh     []float64
	leftKWh     []float64
	stations    []object
	seconds     int
}

const (
	consumptionKWhPerKm = 0.178
	chargeToShare       = 0.8
	chargingSeconds     = 1500
)

// buildEVRouting computes tomtom-ev-routing's document: a route whose legs end at charging stations.
func buildEVRouting(c *call) (object, error) {
	from, ok1 := c.args.position("origin")
	to, ok2 := c.args.position("destination")
	if !ok1 || !ok2 {
		return nil, errPosition
	}
	stops := append(append([]position{from}, c.args.positions("waypoints")...), to)
	p, err := c.newRouteRequest(stops)
	if err != nil {
		return nil, err
	}
	l := p.lines(c.opts.Seed)[0]
	plan, err := planCharging(c.args, l, p.seedOf(c.opts.Seed, "charging"))
	if err != nil {
		return nil, err
	}
	return c.routes(p, []*line{l}, plan), nil
}

// planCharging drives along the line and charges before the battery is down to its least, there and at each stop that
// needs it. It repeats the vertex at which it stops, as legs do.
func planCharging(args arguments, l *line, r random) (*chargingPlan, error) {
	capacity := args.number("maxChargeKWH", 75)
	if capacity <= 0 {
		return nil, errors.New("maxChargeKWH must be greater than 0")
	}
	perKm := consumptionKWhPerKm
	least := capacity * args.number("minChargeAtChargingStopsPercent", 10) / 100
	charge := capacity * args.number("currentChargePercent", 80) / 100
	if reach := (capacity*chargeToShare - least) / perKm; reach < 40 {
		return nil, errors.New("NO_ROUTE_FOUND: the battery is too small for this route")
	}
	plan := &chargingPlan{capacityKWh: capacity}
	atEnd := capacity * args.number("minChargeAtDestinationPercent", 20) / 100
	var ends []int
	at, stop := 0, 0
	for stop < len(l.legEnds) {
		need := least
		if stop == len(l.legEnds)-1 {
			need = atEnd
		}
		end := l.legEnds[stop]
		used := (l.distM[end] - l.distM[at]) / 1000 * perKm
		if charge-used >= need {
			plan.add(used, charge-used, nil)
			charge -= used
			stop++
		} else {
			reachM := math.Max(5, (charge-least)/perKm*r.between(0.86, 0.97)) * 1000
			end = at + 1
			for end < l.legEnds[stop]-1 && l.distM[end]-l.distM[at] < reachM {
				end++
			}
			used = (l.distM[end] - l.distM[at]) / 1000 * perKm
			left := math.Max(least, charge-used)
			plan.add(used, left, chargingStation(r, l.points[end], len(plan.stations), capacity*chargeToShare))
			plan.seconds += chargingSeconds
			charge = capacity * chargeToShare
		}
		ends = append(ends, end)
		at = end
	}
	l.breakAt(ends)
	return plan, nil
}

// add adds one leg.
func (p *chargingPlan) add(used, left float64, station object) {
	p.usedKWh = append(p.usedKWh, used)
	p.leftKWh = append(p.leftKWh, left)
	p.stations = append(p.stations, station)
}

// breakAt makes the vertices the ends of the legs and repeats those that were none.
func (l *line) breakAt(ends []int) {
	out := &line{}
	next := 0
	for i := range l.points {
		out.append(l.points[i], l.class[i])
		if next == len(ends) || ends[next] != i {
			continue
		}
		out.legEnds = append(out.legEnds, out.last())
		next++
		if i < l.last() && l.points[i+1] != l.points[i] {
			out.append(l.points[i], l.class[i])
		}
	}
	*l = *out
}

// leg is what a leg's summary has besides the usual.
func (p *chargingPlan) leg(i int) object {
	o := object{
		{"batteryConsumptionInkWh", round3(p.usedKWh[i])},
		{"batteryConsumptionInPCT", p.usedKWh[i] / p.capacityKWh * 100},
		{"remainingChargeAtArrivalInkWh", round3(p.leftKWh[i])},
		{"remainingChargeAtArrivalInPCT", round3(p.leftKWh[i] / p.capacityKWh * 100)},
	}
	if p.stations[i] != nil {
		target, _ := p.stations[i].object("properties").get("targetChargeInkWh").(float64)
		station := p.stations[i].with("properties",
			p.stations[i].object("properties").with("targetChargeInPCT", round3(target/p.capacityKWh*100)))
		o = append(o, member{"chargingInformationAtEndOfLeg", station})
	}
	return o
}

// total is what the route's summary has besides the usual.
func (p *chargingPlan) total() object {
	used := 0.0
	for _, u := range p.usedKWh {
		used += u
	}
	left := p.leftKWh[len(p.leftKWh)-1]
	return object{
		{"totalChargingTimeInSeconds", p.seconds},
		{"batteryConsumptionInkWh", round3(used)},
		{"batteryConsumptionInPCT", used / p.capacityKWh * 100},
		{"remainingChargeAtArrivalInkWh", round3(left)},
		{"remainingChargeAtArrivalInPCT", round3(left / p.capacityKWh * 100)},
	}
}

func round3(f float64) float64 { return math.Round(f*1000) / 1000 }

// chargingStation is the Point Feature of a charging stop, near the place where the route stops.
func chargingStation(r random, near position, n int, targetKWh float64) object {
	c := nearestCity(near)
	land := countryOf(c.country)
	operator := pick(r, []string{"Fastned", "IONITY", "Allego", "EnBW", "TotalEnergies"})
	power := pick(r, []int{150, 175, 300})
	const plug = "Combo_to_IEC_62196_Type_2_Base"
	road, house := roadNumber(r, land, motorway), strconv.Itoa(r.intBetween(1, 90))
	id := fmt.Sprintf("gQh9charge%d%04x", n, r.IntN(1<<16))
	return object{
		{"type", "Feature"},
		{"id", id},
		{"geometry", object{{"type", "Point"}, {"coordinates", move(near, r.between(0, 6.28), r.between(30, 250)).round5()}}},
		{"properties", object{
			{"chargingParkId", id},
			{"chargingParkUuid", seededUUID(r)},
			{"chargingParkExternalId", fmt.Sprintf("%s-FAS-%d", land.code2, r.intBetween(100, 999))},
			{"chargingParkName", operator + " " + c.name},
			{"chargingParkOperatorName", operator},
			{"chargingParkPowerInkW", power},
			{"chargingTimeInSeconds", chargingSeconds},
			{"targetChargeInkWh", targetKWh},
			{"chargingStopType", "Auto_Generated"},
			{"chargingConnections", list{object{{"facilityType", "Charge_200_To_450V_Direct_Current_At_400A_180kW"}, {"plugType", plug}}}},
			{"type", "POI"},
			{"address", object{
				{"freeformAddress", road + ", " + house},
				{"streetName", road},
				{"streetNumber", house},
				{"municipality", c.name},
				{"countrySubdivision", c.region},
				{"postalCode", postcode(r, land)},
				{"country", land.name},
			}},
			{"chargingConnectionInfo", object{
				{"plugType", plug},
				{"currentInA", power * 5 / 2},
				{"voltageInV", 400},
				{"chargingPowerInkW", power},
				{"currentType", "DC"},
				{"chargingSpeed", "ultra-fast"},
			}},
			{"targetChargeInPCT", 0},
			{"chargingParkSpeed", "ultra-fast"},
		}},
	}
}

// seededUUID is a UUID that is a function of the seed.
func seededUUID(r random) string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Uint64()>>16)
}

// postcode is one in the country's form.
func postcode(r random, c country) string {
	out := make([]byte, len(c.postal))
	for i, p := range []byte(c.postal) {
		switch {
		case p == '9' && i == 0:
			p = byte('1' + r.IntN(9))
		case p == '9':
			p = byte('0' + r.IntN(10))
		case p == 'A':
			p = "ABCDEFGHJKLMNPRSTVWXZ"[r.IntN(21)]
		}
		out[i] = p
	}
	return string(out)
}
