package upstream

const reachableRange = "tomtom-reachable-range"

// routingTools are the tools that compute routes and ranges.
func routingTools(o Options) []tool {
	common := []property{showUI(false), responseDetail(o)}
	return []tool{
		{
			name: "tomtom-routing", title: "TomTom Routing", resource: "ui://tomtom-routing/route-planner/app.html",
			description: "Calculate a route through an ordered list of locations: distance, travel time with live traffic, " +
				"legs, traffic, tolls and countries on the way. Use it first for directions and travel times, from A to B or with stops.",
			input: joined([]property{required("locations", sized(2, 0, array(positionSchema(
				"Position as [longitude, latitude]. Example: [4.89707, 52.377956] for Amsterdam."),
				"Ordered coordinates [origin, ...stops, destination]. Example: [[4.89707, 52.377956], [13.404954, 52.520008]].")))},
				common, routeOptions, alternativeOptions, vehicleOptions, []property{optional("sectionType", texts(
					"Kinds of sections to return, e.g. ['toll', 'motorway', 'tunnel', 'urban', 'lanes']. "+
						"'lanes' are returned only if asked for here."))}),
			run: runDocument, document: documentTool{build: buildRouting, compact: compactRoutes},
		},
		{
			name: reachableRange, title: "TomTom Reachable Range", resource: "ui://tomtom-routing/reachable-range/app.html",
			description: "Compute the areas that can be reached from a place within a time, a distance or an energy budget.",
			input: joined([]property{required("origin", positionSchema(
				"Start as [longitude, latitude]. Example: [4.89707, 52.377956] for Amsterdam."))},
				common, rangeBudgets, routeOptions, rangeOptions, vehicleOptions),
			run: runDocument, document: documentTool{build: buildRange, compact: compactRange},
		},
		{
			name: "tomtom-ev-routing", title: "TomTom EV Route Planner", resource: "ui://tomtom-routing/ev-routing/app.html",
			description: "Plan a long electric drive with charging stops: where to charge, for how long, and the charge at arrival.",
			input:       joined(evInput, []property{routeType("fast", "short", "efficient"), trafficMode, avoid, departAt}, common),
			run:         runDocument, document: documentTool{build: buildEVRouting, compact: compactEVRoutes},
		},
	}
}

func routeType(values ...string) property {
	return optional("routeType", enum("What to optimise: time, distance, energy or scenery", values...))
}

var (
	trafficMode = optional("traffic", enum("'live' adds current traffic to historical speeds", "live", "historical"))
	avoid       = optional("avoid", texts("What to avoid where possible. Example: ['tollRoads', 'ferries', 'motorways']"))
	departAt    = optional("departAt", text("Departure, ISO 8601. Example: '2026-06-24T14:30:00Z'. Not together with arriveAt."))
)

var routeOptions = []property{
	routeType("fast", "short", "efficient", "thrilling"),
	optional("travelMode", enum("Means of transport. Default: 'car'.", "car")),
	trafficMode, avoid, departAt,
}

var alternativeOptions = []property{
	optional("arriveAt", text("Arrival, ISO 8601. Example: '2026-06-24T17:00:00Z'. Not together with departAt.")),
	optional("maxAlternatives", number("Alternative routes besides the best, 0 to 5. Each makes the answer longer.")),
	optional("alternativeType", enum("'anyRoute': clearly different ones. 'betterRoute': only better ones.", "anyRoute", "betterRoute")),
	optional("minDeviationDistance", number("Metres for which alternatives follow the reference route at first")),
	optional("minDeviationTime", number("Seconds for which alternatives follow the reference route at first")),
	optional("supportingPoints", text("Coordinates that shape the route without being stops: 'lat,lon;lat,lon'")),
	optional("reconstructionMode", enum("How to follow the supporting points", "track", "route", "update")),
	optional("supportingPointIndexOfOrigin", number("Which of the supporting points the origin is")),
	optional("extendedRouteRepresentation", text("More forms of the route to return")),
	optional("vehicleHeading", number("Heading of the vehicle in degrees, 0 to 359")),
	optional("routeRepresentation", enum("How the line is represented. Default: 'polyline'.",
		"polyline", "summaryOnly", "encodedPolyline", "none")),
}

var vehicleOptions = []property{
	optional("vehicleMaxSpeed", number("Highest speed of the vehicle in km/h")),
	optional("vehicleWeight", number("Weight of the vehicle in kg")),
	optional("vehicleEngineType", enum("What the consumption is calculated for", "combustion", "electric")),
	optional("currentChargeInkWh", number("Charge of the battery in kWh. Example: 43")),
	optional("maxChargeInkWh", number("Capacity of the battery in kWh. Example: 85")),
	optional("constantSpeedConsumptionInkWhPerHundredkm", text("Speed to consumption, 'km/h,kWh per 100 km' pairs. Example: '50,8.2:130,21.3'")),
	optional("auxiliaryPowerInkW", number("Power drawn besides driving, in kW")),
	optional("constantSpeedConsumptionInLitersPerHundredkm", text("Speed to consumption, 'km/h,l per 100 km' pairs. Example: '50,6.5:130,11.5'")),
	optional("currentFuelInLiters", number("Fuel in the tank in litres")),
	optional("auxiliaryPowerInLitersPerHour", number("Fuel used besides driving, in litres an hour")),
	optional("fuelEnergyDensityInMJoulesPerLiter", number("Energy density of the fuel in MJ/l")),
	optional("vehicleHasElectricTollCollectionTransponder", enum("Whether electronic tolls can be paid", "all", "none")),
	optional("arrivalSidePreference", enum("Side of the road to arrive on", "anySide", "curbSide")),
	optional("accelerationEfficiency", number("Efficiency of accelerating, 0 to 1")),
	optional("decelerationEfficiency", number("Share of the energy that braking gives back, 0 to 1")),
	optional("uphillEfficiency", number("Efficiency of climbing, 0 to 1")),
	optional("downhillEfficiency", number("Share of the energy that descending gives back, 0 to 1")),
	optional("consumptionInkWhPerkmAltitudeGain", number("Energy for a kilometre of climb, in kWh")),
	optional("recuperationInkWhPerkmAltitudeLoss", number("Energy from a kilometre of descent, in kWh")),
}

var rangeBudgets = []property{
	optional("timeBudgetInSec", number("Time in seconds. Example: 1800 for half an hour")),
	optional("distanceBudgetInMeters", number("Distance in metres. Example: 20000")),
	optional("chargeBudgetPercent", numberFrom(0, 100, "Share of the battery to use, in percent. Example: 30")),
	optional("remainingChargeBudgetPercent", numberFrom(0, 100, "Share of the battery to be left, in percent. Example: 20")),
	optional("energyBudgetInkWh", number("Energy in kWh. Example: 15")),
	optional("fuelBudgetInLiters", number("Fuel in litres. Example: 5")),
}

var rangeOptions = []property{
	optional("report", text("Extra information to return. Example: 'effectiveSettings'")),
	optional("windingness", enum("How winding a thrilling route is", "low", "normal", "high")),
	optional("hilliness", enum("How hilly a thrilling route is", "low", "normal", "high")),
}

var evInput = []property{
	required("origin", positionSchema("Start as [longitude, latitude]. Example: [4.89707, 52.377956] for Amsterdam.")),
	required("destination", positionSchema("Destination as [longitude, latitude]. Example: [13.404954, 52.520008] for Berlin.")),
	optional("waypoints", array(positionSchema("Stop as [longitude, latitude]"), "Stops in order. Example: [[7.4653, 51.5136]]")),
	required("currentChargePercent", numberFrom(0, 100, "Charge at the start in percent. Example: 80")),
	required("maxChargeKWH", number("Capacity of the battery in kWh. Example: 75")),
	optional("consumptionInKWH", array(objectSchema(required("speedKMH", number("Speed in km/h")),
		required("consumptionUnitsPer100KM", number("Consumption in kWh per 100 km"))), "Consumption by speed")),
	optional("batteryCurve", array(objectSchema(required("stateOfChargeInkWh", number("Charge in kWh")),
		required("maxPowerInkW", number("Power that the battery then takes, in kW"))), "Charging curve")),
	optional("minChargeAtDestinationPercent", defaulted(20.0, numberFrom(0, 100, "Least charge at the destination, in percent"))),
	optional("minChargeAtChargingStopsPercent", defaulted(10.0, numberFrom(0, 50, "Least charge at a charging stop, in percent"))),
}
