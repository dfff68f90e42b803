// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// runInstancesParameters are the parameters that are modelled.
const runInstancesParameters = "BlockDeviceMapping ClientToken DisableApiStop DisableApiTermination EbsOptimized " +
	"IamInstanceProfile ImageId InstanceInitiatedShutdownBehavior InstanceType KeyName MaxCount MetadataOptions MinCount " +
	"Monitoring NetworkInterface Placement PrivateIpAddress SecurityGroup SecurityGroupId SubnetId TagSpecification UserData"

type runInstancesResponse struct {
	wire.Head
	xmlReservation
}

// runInstances launches, or answers with the instances of the launch that the
// request repeats. Only a launch that succeeded uses its client token up.
func runInstances(c *call) (any, error) {
	request, err := readRunRequest(c.params)
	if err != nil {
		return nil, err
	}
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
	room, err := c.region.room(request, where, spec.instanceType, &c.settings, c.now)
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
	for index := range room.count {
		address, ok := c.region.takeAddress(room.subnet, c.now, spec.privateIP)
		if !ok {
			break
		}
		i := c.newInstance(request, spec, room, made.id, index)
		i.privateIP = address
		c.region.addresses[address] = i
		made.instances = append(made.instances, i)
	}
	if len(made.instances) < request.minCount {
		c.giveBack(made)
		return reservation{}, noAddresses(spec, room.subnet)
	}
	for _, i := range made.instances {
		c.region.register(i, c.now, c.now.Add(c.settings.LaunchTagLag))
	}
	return made, nil
}

func (c *call) newInstance(request runRequest, spec launchSpec, room room, reservationID string, index int) *instance {
	i := &instance{
		id: c.sim.ids.next("i"), reservationID: reservationID, launchIndex: index,
		account: c.region.account, region: c.region.name, zone: room.zone, subnet: room.subnet,
		interfaceID: c.sim.ids.next("eni"), attachmentID: c.sim.ids.next("eni-attach"),
		clientToken: request.clientToken, spec: spec,
	}
	if i.spec.profile != nil {
		i.spec.associationID = c.sim.ids.next("iip-assoc")
	}
	for _, v := range spec.volumes {
		v.id = c.sim.ids.next("vol")
		i.volumes = append(i.volumes, v)
	}
	if why := c.effects.launchFailure; why != nil {
		i.startDoomed(c.now, &c.settings, *why)
	} else {
		i.start(c.now, &c.settings, c.region.publicIPFor(i))
	}
	return i
}

func (c *call) giveBack(r reservation) {
	for _, i := range r.instances {
		delete(c.region.addresses, i.privateIP)
	}
}

func noAddresses(spec launchSpec, subnet Subnet) error {
	if spec.privateIP.IsValid() {
		return fail(codeInvalidIPAddressInUse, "Address %s is in use.", spec.privateIP)
	}
	return fail(codeInsufficientFreeAddressesInSubnet,
		"There are not enough free addresses in subnet '%s' to satisfy the requested number of instances.", subnet.ID)
}

// register makes the instance and what came with it known to the region.
func (r *region) register(i *instance, now, tagsShow time.Time) {
	i.sequence = len(r.order)
	r.order = append(r.order, i)
	r.instances[i.id] = i
	r.addResource(i, kindInstance, i.id, now, tagsShow)
	r.addResource(i, kindInterface, i.interfaceID, now, tagsShow)
	for _, v := range i.volumes {
		r.addResource(i, kindVolume, v.id, now, tagsShow)
	}
}

func (r *region) addResource(owner *instance, kind, id string, now, tagsShow time.Time) {
	added := &resource{id: id, kind: kind, owner: owner}
	added.set(owner.spec.tags[kind], tagsShow, now)
	r.resources[id] = added
}
