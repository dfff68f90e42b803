// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// runInstancesParameters are the parameters that are modelled.
const runInstancesParameters = "BlockDeviceMapping CapacityReservationSpecification ClientToken CpuOptions CreditSpecification " +
	"DisableApiStop DisableApiTermination EbsOptimized EnclaveOptions HibernationOptions IamInstanceProfile ImageId " +
	"InstanceInitiatedShutdownBehavior InstanceMarketOptions InstanceType Ipv6AddressCount KeyName LaunchTemplate LicenseSpecification " +
	"MaintenanceOptions MaxCount MetadataOptions " +
	"MinCount Monitoring NetworkInterface Placement PrivateDnsNameOptions PrivateIpAddress SecurityGroup SecurityGroupId SubnetId " +
	"TagSpecification UserData"

type runInstancesResponse struct {
	wire.Head
	xmlReservation
}

// runInstances launches, or answers with the instances of the launch that the
// request repeats. Only a launch that succeeded uses its client token up.
func runInstances(c *call) (any, error) {
	params, templateTags, err := c.region.byTemplate(c.params)
	if err != nil {
		return nil, err
	}
	request, err := readRunRequest(params)
	if err != nil {
		return nil, err
	}
	request.tags[kindInstance] = append(request.tags[kindInstance], templateTags...)
	where, err := c.region.place(request, c.settings.ImpairedZones)
	if err != nil {
		return nil, err
	}
	key := tokenKey{request.clientToken, where.scope()}
	if !request.dryRun { // a dry run neither uses a token nor repeats a launch
		earlier, err := c.region.repeated(key, c.params, &c.settings, c.now)
		if err != nil {
			return nil, err
		}
		if earlier != nil {
			c.outcome.replayed = true
			return c.launched(earlier.reservation), nil
		}
	}
	spec, err := c.region.resolve(request, where)
	if err != nil {
		return nil, err
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	room, err := c.makeRoom(request, where, &spec)
	if err != nil {
		return nil, err
	}
	made, err := c.launch(request, spec, room)
	if err != nil {
		return nil, err
	}
	if key.token != "" {
		c.region.launches[key] = &launch{launchParameters(c.params), made}
	}
	return c.launched(made), nil
}

// makeRoom finds where the instances will run, down to the Dedicated Host and the capacity reservation. These, too, take
// as many instances as they can.
func (c *call) makeRoom(request runRequest, where placement, spec *launchSpec) (room, error) {
	found, err := c.region.room(request, where, spec.instanceType, &c.settings, c.now)
	if err != nil {
		return found, err
	}
	for {
		err := c.takeHardware(spec, found)
		if err == nil || found.count == request.minCount {
			return found, err
		}
		found.count--
	}
}

func (c *call) takeHardware(spec *launchSpec, found room) error {
	if err := c.region.roomInGroup(spec.position, found.zone, found.count, c.now); err != nil {
		return err
	}
	host, err := c.region.takeHost(spec.position, found.zone, found.count, c.now)
	if err != nil {
		return err
	}
	reservation, err := c.region.takeReservation(*spec, found.zone, found.count, c.now)
	if err != nil {
		return err
	}
	spec.position.hostID, spec.reservedIn = host, reservation
	return nil
}

// launched answers with the instances as they are in truth now, whatever describes
// show. Tags are those of the launch.
func (c *call) launched(r reservation) *runInstancesResponse {
	answer := &runInstancesResponse{xmlReservation: xmlReservation{ReservationID: r.id, OwnerID: c.region.account}}
	for _, i := range r.instances {
		v := view{
			instance: i, spec: i.spec, status: i.history.At(c.now), launchTime: i.history.LastStarted(c.now),
			tags: c.region.resources[i.id].tags(),
		}
		answer.Instances = append(answer.Instances, v.xml())
		c.outcome.instances = append(c.outcome.instances, i.id)
	}
	return answer
}

// launch makes the instances that there is room for.
func (c *call) launch(request runRequest, spec launchSpec, room room) (reservation, error) {
	made := reservation{id: c.sim.ids.next("r")}
	var short error
	for index := range room.count {
		i := c.newInstance(request, spec, room, made.id, index)
		if short = c.attachInterfaces(i); short != nil {
			c.region.detachInterfaces(i)
			break
		}
		c.begin(i)
		made.instances = append(made.instances, i)
	}
	if len(made.instances) < request.minCount {
		c.giveBack(made)
		return reservation{}, short
	}
	for _, i := range made.instances {
		c.region.register(i, c.now, c.now.Add(c.settings.LaunchTagLag))
	}
	return made, nil
}

func (c *call) newInstance(request runRequest, spec launchSpec, room room, reservationID string, index int) *instance {
	return &instance{
		id: c.sim.ids.next("i"), reservationID: reservationID, launchIndex: index,
		account: c.region.account, region: c.region.name, zone: room.zone, subnet: room.subnet,
		clientToken: request.clientToken, spec: spec,
	}
}

// begin gives the instance what comes with it, and its first state.
func (c *call) begin(i *instance) {
	if i.spec.profile != nil {
		i.spec.associationID = c.sim.ids.next("iip-assoc")
	}
	c.attachVolumes(i)
	c.requestSpot(i)
	if why := c.effects.launchFailure; why != nil {
		i.startDoomed(c.now, &c.settings, *why)
	} else {
		i.start(c.now, &c.settings, c.region.publicIPFor(i))
	}
}

func (c *call) giveBack(r reservation) {
	for _, i := range r.instances {
		c.region.detachInterfaces(i)
	}
}

// register makes the instance and what came with it known to the region.
func (r *region) register(i *instance, now, tagsShow time.Time) {
	i.sequence = len(r.order)
	r.order = append(r.order, i)
	r.instances[i.id] = i
	r.addResource(&resource{id: i.id, kind: kindInstance, owner: i}, now, tagsShow)
	for n := range i.spec.interfaces {
		id := i.spec.interfaces[n].id
		r.addResource(&resource{id: id, kind: kindInterface, owner: i, outlives: func() bool {
			return !i.spec.interfaces[n].deleteOnTermination
		}}, now, tagsShow)
	}
	if q := i.request; q != nil {
		r.addResource(&resource{id: q.id, kind: kindSpotRequest, owner: i}, now, tagsShow)
	}
	for _, d := range i.spec.devices {
		v := d.volume
		r.volumes[v.id] = v
		r.addResource(&resource{id: v.id, kind: kindVolume, owner: i, outlives: func() bool { return !v.deletedOnTermination() }}, now, tagsShow)
	}
}

func (r *region) addResource(added *resource, now, tagsShow time.Time) {
	added.set(added.owner.spec.tags[added.kind], tagsShow, now)
	r.resources[added.id] = added
}
